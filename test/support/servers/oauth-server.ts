import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { answerMcp } from './oauth-resource.ts';

interface Registered {
  secret: string | undefined;
  redirectUris: string[];
}

interface Code {
  client: string;
  challenge: string;
  redirectUri: string;
  resource: string | null;
  scope: string;
}

export interface IssuedToken {
  client: string;
  scope: string;
  expiresAt: number;
  /** Identifies all tokens of one sign-in. */
  family: number;
}

export interface OAuthServerOptions {
  now?: () => number;
  /** The lifetime of an access token; null omits it. */
  lifetimeSeconds?: number | null;
  /** Whether it issues refresh tokens; true by default. */
  canRenew?: boolean;
  /** RFC 9207: the reply names its issuer. */
  issuer?: 'named' | 'wrong' | 'unnamed';
  canRegister?: boolean;
  /** The authorization server that the resource metadata names. */
  authorizationServer?: string;
}

/** An authorization server and an MCP server that requires it, on one loopback port. It is as strict as a real one. */
export class OAuthServer implements AsyncDisposable {
  readonly options: OAuthServerOptions;
  readonly clients = new Map<string, Registered>();
  readonly codes = new Map<string, Code>();
  readonly access = new Map<string, IssuedToken>();
  readonly refresh = new Map<string, IssuedToken>();
  /** Every secret it has issued. */
  readonly secrets: string[] = [];
  /** `register`, `authorize`, `code`, `refresh`, `refused CODE`, `own`, `revoke`, and `call TOOL` for each call. */
  readonly events: string[] = [];
  isRefreshRefused = false;
  /** Awaited between a refresh and its reply. */
  beforeRefreshAnswer: () => Promise<void> = async () => {};
  origin = '';
  #families = 0;
  readonly #server = createServer((request, response) => {
    this.#answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });

  constructor(options: OAuthServerOptions = {}) {
    this.options = options;
  }

  get url(): string {
    return `${this.origin}/mcp`;
  }

  get issuer(): string {
    return `${this.origin}/as`;
  }

  async start(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.origin = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  count(event: string): number {
    return this.events.filter((each) => each === event).length;
  }

  /** Invalidates all access tokens; refresh tokens stay valid. */
  expireAccess(): void {
    this.access.clear();
  }

  now(): number {
    return this.options.now?.() ?? Date.now();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.origin);
    const body = await text(request);
    const send = (status: number, value: unknown, headers: Record<string, string> = {}) =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
    switch (url.pathname) {
      case '/mcp':
        return answerMcp(this, { request, body, send });
      case '/.well-known/oauth-protected-resource/mcp':
        return void send(200, {
          resource: this.url,
          authorization_servers: [this.options.authorizationServer ?? this.issuer],
          scopes_supported: ['tools'],
        });
      case '/.well-known/oauth-authorization-server/as':
        return void send(200, this.#metadata());
      case '/as/register':
        return this.#register(JSON.parse(body), send);
      case '/as/authorize':
        return this.#consentPage(url, response);
      case '/as/decide':
        return this.#decide(new URLSearchParams(body), response);
      case '/as/token':
        return this.#token(request, new URLSearchParams(body), send);
      case '/as/revoke':
        return this.#revoke(request, new URLSearchParams(body), send);
      default:
        send(404, { error: 'not_found' });
    }
  }

  #metadata(): object {
    const { issuer } = this;
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      ...(this.options.canRegister !== false && { registration_endpoint: `${issuer}/register` }),
      revocation_endpoint: `${issuer}/revoke`,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
      ...(this.options.issuer !== 'unnamed' && { authorization_response_iss_parameter_supported: true }),
    };
  }

  #register({ redirect_uris }: { redirect_uris: string[] }, send: Send): void {
    const id = `client-${this.clients.size + 1}`;
    const secret = this.#secret('client-secret');
    this.clients.set(id, { secret, redirectUris: redirect_uris });
    this.events.push('register');
    send(201, {
      client_id: id,
      client_secret: secret,
      redirect_uris,
      token_endpoint_auth_method: 'client_secret_basic',
    });
  }

  /** The consent page. Its form contains the request. */
  #consentPage({ searchParams: query }: URL, response: ServerResponse): void {
    const client = this.clients.get(query.get('client_id') ?? '');
    const isWrong =
      !client?.redirectUris.includes(query.get('redirect_uri') ?? '') ||
      query.get('response_type') !== 'code' ||
      query.get('code_challenge_method') !== 'S256' ||
      query.get('resource') !== this.url ||
      !query.get('state');
    this.events.push(isWrong ? 'refused authorize' : 'authorize');
    const fields = [...query].map(
      ([key, value]) => `<input type="hidden" name="${key}" value="${value.replaceAll('"', '&quot;')}">`,
    );
    response
      .writeHead(isWrong ? 400 : 200, { 'content-type': 'text/html' })
      .end(
        isWrong
          ? 'Not a request for this server.'
          : `<form method="post" action="/as/decide">${fields.join('')}${decisions}</form>`,
      );
  }

  #decide(form: URLSearchParams, response: ServerResponse): void {
    const back = new URL(form.get('redirect_uri') ?? '');
    back.searchParams.set('state', form.get('state') ?? '');
    if (form.get('decision') === 'deny') {
      back.searchParams.set('error', 'access_denied');
      back.searchParams.set('error_description', form.get('description') ?? 'The person said no.');
    } else {
      const code = this.#secret('code');
      this.codes.set(code, {
        client: form.get('client_id') ?? '',
        challenge: form.get('code_challenge') ?? '',
        redirectUri: form.get('redirect_uri') ?? '',
        resource: form.get('resource'),
        scope: form.get('scope') ?? 'tools',
      });
      back.searchParams.set('code', code);
      if (this.options.issuer !== 'unnamed') {
        back.searchParams.set('iss', this.options.issuer === 'wrong' ? 'https://elsewhere.example' : this.issuer);
      }
    }
    response.writeHead(302, { location: back.href }).end();
  }

  async #token(request: IncomingMessage, form: URLSearchParams, send: Send): Promise<void> {
    const client = this.#clientOf(request, form);
    const refuse = (error: string) => {
      this.events.push(`refused ${error}`);
      send(400, { error, error_description: `Nothing for ${form.get('refresh_token') ?? form.get('code') ?? 'you'}.` });
    };
    if (client === undefined) return refuse('invalid_client');
    const grant = form.get('grant_type');
    if (grant === 'client_credentials') {
      this.events.push('own');
      return void send(
        200,
        this.#issue({ client, scope: form.get('scope') ?? 'tools', family: ++this.#families }, false),
      );
    }
    if (grant === 'refresh_token') {
      const used = form.get('refresh_token') ?? '';
      const known = this.refresh.get(used);
      if (!known || known.client !== client || this.isRefreshRefused) return refuse('invalid_grant');
      this.refresh.delete(used);
      this.events.push('refresh');
      const issued = this.#issue(known, true);
      await this.beforeRefreshAnswer();
      return void send(200, issued);
    }
    const code = this.codes.get(form.get('code') ?? '');
    this.codes.delete(form.get('code') ?? '');
    const proof = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isGood =
      code?.client === client &&
      code.challenge === proof &&
      code.redirectUri === form.get('redirect_uri') &&
      code.resource === form.get('resource');
    if (!code || !isGood) return refuse('invalid_grant');
    this.events.push('code');
    send(200, this.#issue({ client, scope: code.scope, family: ++this.#families }, true));
  }

  #revoke(request: IncomingMessage, form: URLSearchParams, send: Send): void {
    const token = form.get('token') ?? '';
    if (this.#clientOf(request, form) === undefined) return void send(401, { error: 'invalid_client' });
    this.events.push('revoke');
    this.access.delete(token);
    this.refresh.delete(token);
    send(200, {});
  }

  #issue(from: Omit<IssuedToken, 'expiresAt'>, isRenewable: boolean): object {
    const { lifetimeSeconds = 3_600 } = this.options;
    const access = this.#secret('access');
    this.access.set(access, { ...from, expiresAt: this.now() + (lifetimeSeconds ?? 3_600) * 1_000 });
    const refresh = isRenewable && this.options.canRenew !== false ? this.#secret('refresh') : undefined;
    if (refresh !== undefined) this.refresh.set(refresh, { ...from, expiresAt: Number.POSITIVE_INFINITY });
    return {
      access_token: access,
      token_type: 'Bearer',
      scope: from.scope,
      ...(lifetimeSeconds !== null && { expires_in: lifetimeSeconds }),
      ...(refresh !== undefined && { refresh_token: refresh }),
    };
  }

  #clientOf({ headers }: IncomingMessage, form: URLSearchParams): string | undefined {
    const basic = /^Basic (.*)$/.exec(headers.authorization ?? '')?.[1];
    const [id, secret] = basic
      ? Buffer.from(basic, 'base64').toString().split(':')
      : [form.get('client_id'), form.get('client_secret') ?? undefined];
    const known = this.clients.get(id ?? '');
    return known && known.secret === secret ? (id ?? undefined) : undefined;
  }

  #secret(what: string): string {
    const secret = `${what}-${randomBytes(18).toString('base64url')}`;
    this.secrets.push(secret);
    return secret;
  }
}

const decisions = ['allow', 'deny'].map((each) => `<button name="decision" value="${each}">${each}</button>`).join('');

export type Send = (status: number, value: unknown, headers?: Record<string, string>) => void;

/** Acts as the user in the browser: reads the page, decides, and returns the redirect URL. */
export async function decideInBrowser(
  address: string,
  decision: 'allow' | 'deny' = 'allow',
  description?: string,
): Promise<URL> {
  const page = await fetch(address);
  const html = await page.text();
  if (page.status !== 200) throw new Error(`The authorization page says ${page.status}: ${html}`);
  const form = new URLSearchParams({ decision, ...(description !== undefined && { description }) });
  for (const [, key = '', value = ''] of html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)) {
    form.set(key, value.replaceAll('&quot;', '"'));
  }
  const action = new URL(/action="([^"]*)"/.exec(html)?.[1] ?? '', address);
  const answer = await fetch(action, { method: 'POST', body: form, redirect: 'manual' });
  return new URL(answer.headers.get('location') ?? '');
}
