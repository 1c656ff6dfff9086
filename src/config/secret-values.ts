const secretName =
  /token|secret|passw|api[_-]?key|access[_-]?key|private[_-]?key|credential|(?:^|_)(?:auth|pat|pwd)(?:_|$)/i;
/** Shorter ones are words that stand in any text. */
const shortest = 8;

/** Values of variables that are named like a secret, or that `[log] secret_env` names. Longest first: one may hold another. */
export function secretValues(
  env: Readonly<Record<string, string | undefined>>,
  named: readonly string[],
): readonly string[] {
  const values = Object.entries(env).flatMap(([name, value = '']) => {
    if (named.includes(name)) return value.length >= 4 ? [value] : [];
    return secretName.test(name) && value.length >= shortest ? [value] : [];
  });
  return [...new Set(values)].toSorted((one, other) => other.length - one.length);
}
