/** A process that does nothing but look at the clock, and says when it ends how long it was kept from it, in milliseconds. */
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
