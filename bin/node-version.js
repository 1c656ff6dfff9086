// Plain JavaScript for any Node version: the Node version that the hub and the library need.
const needed = [24, 11];

export function isEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > needed[0] || (major === needed[0] && minor >= needed[1]);
}

export function needsNewer(why) {
  return `Agent Zoo needs Node ${needed.join('.')} or later (${why})`;
}
