/**
 * Returns the same text for equal JSON values, whatever the order of their keys; `1` and `1.0` are equal. Stored hashes of
 * accepted tools depend on this text.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'number') return String(value === 0 ? 0 : value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const entries = Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([key, each]) => `${JSON.stringify(key)}:${canonicalJson(each)}`).join(',')}}`;
}

/** Whether a number is a multiple of another, as decimals: 0.3 is one of 0.1. */
export function isMultipleOf(value: number, divisor: number): boolean {
  if (Number.isInteger(value) && Number.isInteger(divisor)) return value % divisor === 0;
  if (!Number.isFinite(value) || !(divisor > 0)) return false;
  const [digits, exponent] = decimal(value);
  const [other, otherExponent] = decimal(divisor);
  const least = Math.min(exponent, otherExponent);
  return (digits * 10n ** BigInt(exponent - least)) % (other * 10n ** BigInt(otherExponent - least)) === 0n;
}

/** The shortest decimal that names the number: its digits, and how many places to move the point. */
function decimal(value: number): [digits: bigint, exponent: number] {
  const [, whole = '0', fraction = '', exponent = '0'] =
    /^(-?\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? [];
  return [BigInt(whole + fraction), Number(exponent) - fraction.length];
}
