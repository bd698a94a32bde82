/** What a table holds, in whatever order: how many rows, and the sum of a hash of each. */
export interface Sum {
  readonly rows: number;
  /** In hexadecimal digits. */
  readonly hash: string;
}

/** So many hexadecimal digits of a row's SHA-256 are added up: as many as a JavaScript number holds. */
export const DIGITS = 12;
