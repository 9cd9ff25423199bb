export interface TextOptions {
  readonly color: boolean;
  readonly width: number;
  /** Set for files, which have no stderr next to them. */
  readonly isFile?: boolean;
  /** Shows every change in full, however many. */
  readonly full?: boolean | undefined;
  /** Lists unmanaged objects, which are only counted by default. */
  readonly showUnmanaged?: boolean | undefined;
  readonly showUnchanged?: boolean | undefined;
  /** Set in GitHub Actions. */
  readonly github?: GithubOptions | undefined;
  /** Absent if the report is shown only locally. */
  readonly context?: ReportContext | undefined;
}

export interface ReportContext {
  readonly head?: string;
  /** URL of the pipeline's run; https. */
  readonly run?: string;
  /** Example: `2026-03-01 14:02 UTC`. */
  readonly time?: string;
}

export interface GithubOptions {
  /** A token that ends text without commands. It must be unpredictable. */
  readonly stop: string;
  readonly pathOf: (file: string) => string;
}

/** Ends with a line break unless it is empty. Options are for terminals; files ignore them. */
export type View<T> = (result: T, options: TextOptions) => string;

/** Used for results that may be very long; yields pieces. */
export type LongView<T> = (result: T, options: TextOptions) => Generator<string>;
