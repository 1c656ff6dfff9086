/** One lightness for all hues: at least 4.5:1 on white for text, at least 3:1 on a dark ground for marks. */
export const palette = {
  rose: '#d4305f',
  red: '#d73430',
  orange: '#ba550c',
  amber: '#9d670f',
  olive: '#767700',
  green: '#028533',
  teal: '#0b8173',
  cyan: '#077e93',
  blue: '#0871d9',
  indigo: '#5f62e9',
  violet: '#8a54dd',
  magenta: '#b542b5',
  slate: '#637487',
} as const;
