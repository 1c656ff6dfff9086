// Loaded into servers from npm with `--import`: they would bind to all addresses, and print the requested port instead of the actual one.
import net from 'node:net';

const listen = net.Server.prototype.listen;

net.Server.prototype.listen = function onLoopback(this: net.Server, ...args: unknown[]) {
  const onListening = args.findLast((argument) => typeof argument === 'function') as (() => void) | undefined;
  return listen.call(this, { host: '127.0.0.1', port: Number(process.env.PORT ?? 0) }, () => {
    process.stderr.write(`listening on ${(this.address() as net.AddressInfo).port}\n`);
    onListening?.();
  });
} as typeof listen;
