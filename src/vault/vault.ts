/** The hub's secrets, encrypted at rest: API keys of model providers, OAuth tokens. Values never appear in logs or messages. */
export interface Vault {
  /** Throws UNAVAILABLE if the vault's key is missing or wrong; the message says what to do. */
  get(name: string): Promise<string | undefined>;
  /** Null deletes. */
  set(name: string, value: string | null): Promise<void>;
  /** Returns the names that begin with the prefix, and when each was set; never the values. */
  names(prefix: string): Promise<{ name: string; updatedAt: number }[]>;
  /** Seals a text for other tables of the store. It does not open under another name. */
  seal(text: string, name: string): Promise<string>;
  open(sealed: string, name: string): Promise<string>;
}
