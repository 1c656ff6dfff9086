/** A process that only checks the clock. When it ends, it prints its longest delay in milliseconds. */
let last = performance.now();
let longest = 0;
setInterval(() => {
  const now = performance.now();
  longest = Math.max(longest, now - last);
  last = now;
}, 1);
process.stdin.on('end', () => {
  process.stdout.write(String(longest));
  process.exit(0);
});
process.stdin.resume();
