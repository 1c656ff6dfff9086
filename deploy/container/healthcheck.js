// healthcheck.js [PATH]: exits with 0 if the hub in this container replies with 200 at PATH, by default /health.
const address = `http://127.0.0.1:${process.env.ZOO_PORT || 7331}${process.argv[2] || '/health'}`;
fetch(address, { signal: AbortSignal.timeout(4_000) }).then(
  ({ status }) => {
    if (status !== 200) console.error(`${address} replied with ${status}`);
    process.exitCode = status === 200 ? 0 : 1;
  },
  (error) => {
    console.error(`${address} cannot be reached: ${error.cause?.code ?? error.message}`);
    process.exitCode = 1;
  },
);
