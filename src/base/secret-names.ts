/** Parts of the names under which people keep secrets. A hyphen stands for `-`, `_` or nothing. */
const parts = ['authorization', 'bearer', 'credential', 'passphrase', 'passw', 'secret', 'token'];
parts.push('access-key', 'api-key', 'private-key');
/** In settings these are secrets too, as words of their own: a keyboard, a path and an author are none. */
const words = ['o?auth', 'authentication', 'key', 'pat', 'pwd'];

/** Every part as it may be spelled, in lower case. */
export const secretSpellings: readonly string[] = parts.flatMap((part) =>
  part.includes('-') ? ['-', '_', ''].map((sign) => part.replace('-', sign)) : [part],
);

/** The source of a regular expression, to be used with the flag `i`. */
export const secretNamePattern = parts.map((part) => part.replace('-', '[_-]?')).join('|');

const inText = new RegExp(secretNamePattern, 'i');
const inSetting = new RegExp(`${secretNamePattern}|(?:^|[^a-z])(?:${words.join('|')})(?:$|[^a-z])`, 'i');

/** Whether a text holds a name of a secret: the name of a field, or a whole document. */
export function holdsSecretName(text: string): boolean {
  return inText.test(text);
}

/** Whether a variable, an option, a header or a key of a config file is named like a secret. */
export function isSecretSetting(name: string): boolean {
  // Shells keep the working folder in it.
  return name !== 'PWD' && inSetting.test(name);
}
