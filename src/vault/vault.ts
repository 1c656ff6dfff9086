/** Secrets of the hub, encrypted at rest: keys of model providers, OAuth tokens. Values never enter logs or messages. */
export interface Vault {
  /** Throws UNAVAILABLE when the key of the vault is missing or another one; the sentence says what would work. */
  get(name: string): Promise<string | undefined>;
  /** Null deletes. */
  set(name: string, value: string | null): Promise<void>;
  /** Names that begin with the prefix, and when each was set; never values. */
  names(prefix: string): Promise<{ name: string; updatedAt: number }[]>;
  /** For other tables of the store. What was sealed under one name does not open under another one. */
  seal(text: string, name: string): Promise<string>;
  open(sealed: string, name: string): Promise<string>;
}
