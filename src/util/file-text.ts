/** The text of a file that a manifest names. Requests carry it; plans and journals only its path and hash. */
export class FileText {
  readonly file: string;
  readonly sha256: string;
  readonly #read: () => string;

  /** `read` may throw if the file is no longer the same. */
  constructor({ file, sha256 }: Pick<FileText, 'file' | 'sha256'>, read: () => string) {
    this.file = file;
    this.sha256 = sha256;
    this.#read = read;
  }

  /** Only for the request that carries it. */
  reveal(): string {
    return this.#read();
  }

  toJSON(): { $file: string; sha256: string } {
    return { $file: this.file, sha256: this.sha256 };
  }
}
