/** Reads code line by line, and knows after each line what is still open. */
export interface Lexer {
  /** Reads the next line, without its end. */
  read(line: string): void;
  /** A bracket, a text, or another thing that only more lines can close. An empty line does not. */
  readonly isOpen: boolean;
  /** More lines belong to it by custom, such as the body of a function in Python. An empty line ends that. */
  readonly awaitsMore: boolean;
}
