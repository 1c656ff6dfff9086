/** Parts of common names for secrets. A hyphen stands for `-`, `_` or nothing. */
const parts = ['authorization', 'bearer', 'credential', 'passphrase', 'passw', 'secret', 'token'];
parts.push('access-key', 'api-key', 'private-key');
/** In settings, these are secrets too, but only as whole words: `keyboard`, `path` and `author` are not secrets. */
const words = ['o?auth', 'authentication', 'key', 'pat', 'pwd'];

/** All spellings of the parts, in lower case. */
export const secretSpellings: readonly string[] = parts.flatMap((part) =>
  part.includes('-') ? ['-', '_', ''].map((sign) => part.replace('-', sign)) : [part],
);

/** The source of a regular expression; use it with the flag `i`. */
export const secretNamePattern = parts.map((part) => part.replace('-', '[_-]?')).join('|');

const inText = new RegExp(secretNamePattern, 'i');
const inSetting = new RegExp(`${secretNamePattern}|(?:^|[^a-z])(?:${words.join('|')})(?:$|[^a-z])`, 'i');

/** Returns whether a text contains the name of a secret. The text may be the name of a field or a whole document. */
export function holdsSecretName(text: string): boolean {
  return inText.test(text);
}

/** Returns whether the name of a variable, an option, a header or a key in a config file suggests a secret. */
export function isSecretSetting(name: string): boolean {
  // Shells store the working folder in PWD.
  return name !== 'PWD' && inSetting.test(name);
}
