import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { AddressRanges, isLoopbackAddress, plainAddress } from '../../base/address-ranges.ts';
import { type DoorSettings, isReachable, refuseUnencrypted } from '../../base/door-settings.ts';
import type { SourceProblem } from '../../base/source.ts';
import type { BeyondLoopback, Callers } from '../../callers/create-callers.ts';
import { Refusal } from '../to-error-response.ts';
import { Admission, type AdmittedParts } from './admission.ts';
import { isNamed, LiveCertificate } from './certificate.ts';
import { checkFetchSite, checkTarget, forbiddenOrigin, isLoopbackName, isLoopbackOrigin } from './guards.ts';
import { publicAddress } from './public-address.ts';
import { type SecureResponse, StrictResponse } from './security-headers.ts';
import { countedAs, isFromHere, readVisitor, type Visitor } from './visitors.ts';

export interface DoorParts extends AdmittedParts {
  callersBeyondLoopback(options: BeyondLoopback): Callers;
  config: { raw: Readonly<Record<string, unknown>>; file: string | null };
  store: { kind: 'sqlite' | 'postgres'; location: string; installationKeys: { hasSecret: boolean } };
  addProblems(problems: () => SourceProblem[]): { changed(): void; remove(): void };
}

/** Connections from one address beyond this machine. A household or company may share an address, and each browser opens several. */
const maxSockets = 500;
/** How long the headers of a request may take, and how often that is checked. */
const headersMs = 20_000;
const checkHeadersMs = 5_000;

type Listener = RequestListener<typeof IncomingMessage, typeof SecureResponse>;
type HubServer = Server<typeof IncomingMessage, typeof SecureResponse>;

/** How requests reach a hub that is served with TLS, behind a proxy, or both. */
export class Door<P extends DoorParts> {
  /** The hub as requests through this door may use it. */
  readonly hub: P;
  /** Identifies callers without counting their requests. */
  readonly callers: Callers;
  readonly #host: string;
  readonly #settings: DoorSettings;
  readonly #proxies: AddressRanges;
  readonly #certificate: LiveCertificate | undefined;
  readonly #admission: Admission | undefined;
  readonly #problems: { changed(): void; remove(): void };
  #port = 0;

  /** Throws INVALID_CONFIG for settings with which others could read along, and for a certificate that cannot be used. */
  static async open<P extends DoorParts>(hub: P, host: string, settings: DoorSettings): Promise<Door<P>> {
    refuseUnencrypted(host, settings);
    const { certificate: files } = settings;
    const { logger, clock } = hub;
    const certificate = files && (await LiveCertificate.open(files, { logger, clock }));
    return new Door(hub, { host, settings, certificate });
  }

  private constructor(
    hub: P,
    { host, settings, certificate }: { host: string; settings: DoorSettings; certificate: LiveCertificate | undefined },
  ) {
    this.#host = host;
    this.#settings = settings;
    this.#certificate = certificate;
    this.#proxies = new AddressRanges(settings.trustedProxies);
    const isBeyond = isReachable(host, settings);
    this.callers = isBeyond ? hub.callersBeyondLoopback({ isSecure: this.isSecure }) : hub.callers;
    this.#admission = isBeyond ? new Admission({ ...hub, callers: this.callers }, settings.limits) : undefined;
    this.hub = this.#admission?.admitTo(hub) ?? hub;
    const settled = isBeyond ? [...withoutEffect(hub.config), ...withoutSecret(hub.store)] : [];
    this.#problems = hub.addProblems(() => [...settled, ...(certificate?.problems() ?? [])]);
  }

  /** Whether browsers and clients use HTTPS. */
  get isSecure(): boolean {
    const { publicUrl, certificate } = this.#settings;
    return publicUrl === undefined ? certificate !== undefined : publicUrl.startsWith('https:');
  }

  /** The address that browsers and clients use, without a trailing slash. */
  get url(): string {
    const bind = { host: this.#host, port: this.#port };
    return publicAddress(bind, this.#settings, this.#certificate?.current.x509);
  }

  createServer(options: ServerOptions<typeof IncomingMessage, typeof SecureResponse>, listener: Listener): HubServer {
    const patient = { ...options, headersTimeout: headersMs, connectionsCheckingInterval: checkHeadersMs };
    const strict = this.isSecure ? { ...patient, ServerResponse: StrictResponse } : patient;
    const server = this.#certificate
      ? this.#createTlsServer(this.#certificate, strict, listener)
      : createServer(strict, listener);
    if (this.#admission) this.#limitSockets(server);
    return server;
  }

  /** Closes further connections from an address that has very many. A proxy's are those of everybody. */
  #limitSockets(server: HubServer): void {
    const counts = new Map<string, number>();
    server.on('connection', (socket: Socket) => {
      const peer = plainAddress(socket.remoteAddress);
      if (isLoopbackAddress(peer) || this.#proxies.has(peer)) return;
      const key = countedAs(peer);
      const count = (counts.get(key) ?? 0) + 1;
      if (count > maxSockets) return void socket.destroy();
      counts.set(key, count);
      socket.once('close', () => {
        const left = (counts.get(key) ?? 1) - 1;
        if (left === 0) counts.delete(key);
        else counts.set(key, left);
      });
    });
  }

  /** Says on which port the server listens. */
  openAt(port: number): void {
    this.#port = port;
  }

  /** Checks where a request comes from, which address it was sent to, and how many there were. Throws a Refusal. */
  check(request: IncomingMessage): void {
    checkTarget(request);
    const visitor = readVisitor(request, this.#proxies);
    const isLocal = this.#isLocal(visitor);
    const isOpen = isLocal || isProbe(request);
    if (!isOpen) this.#checkPeer(visitor);
    if (!isOpen) this.#checkHost(visitor);
    this.#checkScheme(visitor, isOpen);
    this.#checkOrigin(request.headers.origin, visitor, isLocal);
    checkFetchSite(request);
    this.#admission?.count(request, visitor);
  }

  /** Returns the address that a request came from; undefined if only this machine reaches the hub. */
  addressOf(request: object): string | undefined {
    return this.#admission?.addressOf(request);
  }

  close(): void {
    this.#certificate?.close();
    this.#problems.remove();
  }

  get #scheme(): 'http' | 'https' {
    return this.#certificate ? 'https' : 'http';
  }

  #createTlsServer(
    certificate: LiveCertificate,
    options: ServerOptions<typeof IncomingMessage, typeof SecureResponse>,
    listener: Listener,
  ): HubServer {
    const { cert, key } = certificate.current;
    const server = createTlsServer({ ...options, cert, key, handshakeTimeout: 10_000 }, listener);
    certificate.follow(server, { onProblem: this.#problems.changed });
    return server;
  }

  /** Programs of this machine that talk to the hub itself: commands, health checks, a browser beside it. */
  #isLocal(visitor: Visitor): boolean {
    if (visitor.isProxied || !isFromHere(visitor) || visitor.host === undefined) return false;
    return isLoopbackName(visitor.host, this.#port, this.#certificate ? 443 : 80);
  }

  #checkPeer(visitor: Visitor): void {
    if (this.#proxies.isEmpty || visitor.isPeerTrusted || isFromHere(visitor)) return;
    throw new Refusal(
      403,
      'forbidden_peer',
      `This hub accepts connections only from its proxies, and ${visitor.peer} is not in trusted_proxies. Use ${this.url}.`,
    );
  }

  #checkHost({ host }: Visitor): void {
    if (host === undefined || host === '') {
      throw new Refusal(400, 'bad_request', `The Host header is missing. Send the host of ${this.url}.`);
    }
    if (this.#isOwnOrigin(`${this.#ownScheme}://${host}`)) return;
    const hint = this.#proxies.isEmpty ? '' : ' A proxy must keep the Host header, or send it as X-Forwarded-Host.';
    throw new Refusal(
      403,
      'forbidden_host',
      `The host "${host.slice(0, 80)}" is not this hub. Use ${this.url}.${hint}`,
    );
  }

  /** Keys must not cross the network unencrypted because a proxy also listens on port 80. */
  #checkScheme({ scheme, isPeerTrusted }: Visitor, isOpen: boolean): void {
    if (!this.isSecure) return;
    if (scheme === undefined && isPeerTrusted && !isOpen && !this.#certificate) {
      throw new Refusal(
        403,
        'forbidden_scheme',
        `The proxy does not say whether it received this request over https. It must send X-Forwarded-Proto: https with each request for ${this.url}.`,
      );
    }
    if (scheme !== 'http') return;
    throw new Refusal(
      403,
      'forbidden_scheme',
      `The proxy received this request over http (X-Forwarded-Proto), but this hub is at ${this.url}. Let the proxy redirect http to https.`,
    );
  }

  /** Without a public address, a page must be of the host that it asks: other sites may share the certificate. */
  #checkOrigin(origin: string | undefined, { host }: Visitor, isLocal: boolean): void {
    if (origin === undefined) return;
    const isSameHost = URL.parse(origin)?.origin === URL.parse(`https://${host}`)?.origin;
    if (this.#isOwnOrigin(origin) && (this.#settings.publicUrl !== undefined || isSameHost)) return;
    if (isLocal && isLoopbackOrigin(origin, { port: this.#port, scheme: this.#scheme })) return;
    throw forbiddenOrigin(origin);
  }

  get #ownScheme(): string {
    return this.isSecure ? 'https' : 'http';
  }

  /** Whether an origin is the public address or, if there is none, a name of the certificate or the bind address. */
  #isOwnOrigin(origin: string): boolean {
    const { publicUrl } = this.#settings;
    const url = /^https?:\/\/[^/?#@\s,]+$/i.test(origin) ? URL.parse(origin) : null;
    if (!url) return false;
    if (publicUrl !== undefined) return url.origin === publicUrl;
    const x509 = this.#certificate?.current.x509;
    if (url.protocol !== 'https:' || !x509 || Number(url.port || 443) !== this.#port) return false;
    const name = url.hostname.replace(/^\[|\]$/g, '');
    return name === this.#host.toLowerCase() || isNamed(x509, name);
  }
}

/** Health checks come from anywhere and name the hub by whatever address they have. They need no right. */
function isProbe({ method, url = '' }: IncomingMessage): boolean {
  return (method === 'GET' || method === 'HEAD') && /^\/(?:health|ready)(?:\?|$)/.test(url);
}

/** Returns a problem if the config gives callers without a key a right that they do not have beyond loopback. */
function withoutEffect({ raw, file }: DoorParts['config']): SourceProblem[] {
  const { server } = raw;
  const written = typeof server === 'object' && server !== null && 'anonymous' in server ? server.anonymous : undefined;
  if (written === undefined || written === 'none') return [];
  const message = `[server] anonymous = ${JSON.stringify(written)} has no effect, because others can reach this hub over the network: callers without a key have no rights. Remove it, or set it to "none".`;
  return [{ place: file ?? 'the config', message }];
}

/** Returns a problem if replicas of this hub would not accept each other's sessions. */
function withoutSecret({ kind, location, installationKeys }: DoorParts['store']): SourceProblem[] {
  if (kind === 'sqlite' || installationKeys.hasSecret) return [];
  const message =
    'AGENT_ZOO_SECRET is not set, so the keys of this hub are files on this machine. Replicas on other machines would not accept its sessions and sign-ins, or read its stored secrets. Set the same value on all of them, even if there is only one so far.';
  return [{ place: location, message }];
}
