/**
 * Finds the first impossible date in a TOML text, such as 2026-02-30, and its line (from 1). The parser would silently turn it
 * into a later day. The text must otherwise be valid. Skips strings, comments and keys.
 */
export function findImpossibleDate(text: string): { date: string; line: number } | undefined {
  let line = 1;
  // True after `=`, until the end of the line that closes all brackets.
  let isValue = false;
  let brackets = 0;
  if (!/\d{4}-\d\d-\d\d/.test(text)) return undefined;
  for (const [token, date] of text.matchAll(tokens)) {
    if (token === '\n') {
      line += 1;
      isValue &&= brackets > 0;
    } else if (token === '=') isValue = true;
    else if (isValue && (token === '[' || token === '{')) brackets += 1;
    else if (isValue && (token === ']' || token === '}')) brackets -= 1;
    else if (isValue && date !== undefined && !isDay(date)) return { date, line };
    else if (/^(?:"""|''')/.test(token)) line += token.split('\n').length - 1;
  }
  return undefined;
}

/** Strings of four kinds, comments, keys that look like dates, dates, and the characters that separate keys from values. */
const tokens =
  /"""(?:[^\\]|\\[\s\S])*?"""+|'''[\s\S]*?'''+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*|[\w-]+[ \t]*(?=[=.])|(\d{4}-\d\d-\d\d)|[\w+-]+|[\n=[\]{}]/g;

function isDay(date: string): boolean {
  const [year = 0, month = 0, day = 0] = date.slice(0, 10).split('-').map(Number);
  return day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}
