/** The text of a file in a manifest. Only requests contain it; plans and journals have its path and hash. */
export class FileText {
  readonly file: string;
  readonly sha256: string;
  readonly #read: () => string;

  /** `read` may throw if the file has changed. */
  constructor({ file, sha256 }: Pick<FileText, 'file' | 'sha256'>, read: () => string) {
    this.file = file;
    this.sha256 = sha256;
    this.#read = read;
  }

  /** Call only for the request that contains the text. */
  reveal(): string {
    return this.#read();
  }

  toJSON(): { $file: string; sha256: string } {
    return { $file: this.file, sha256: this.sha256 };
  }
}
