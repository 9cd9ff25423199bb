/** Stands in for Intl.Segmenter in the bundle: string-width makes one when it is loaded, which takes half as long as starting Node. */
export class LazySegmenter {
  #options;
  #segmenter;

  constructor(...options) {
    this.#options = options;
  }

  segment(text) {
    this.#segmenter ??= new globalThis.Intl.Segmenter(...this.#options);
    return this.#segmenter.segment(text);
  }
}
