/** Takes secrets out of a text, and leaves the rest as it is. */
export type Redact = (text: string) => string;
