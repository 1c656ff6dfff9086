import type { X509Certificate } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { Server as TlsServer } from 'node:https';
import { isIP } from 'node:net';
import type { Clock } from '../../base/clock.ts';
import { HubError } from '../../base/hub-error.ts';
import type { Logger } from '../../base/logger.ts';
import { type Certificate, type CertificateFiles, readCertificate } from '../../base/read-certificate.ts';
import type { SourceProblem } from '../../base/source.ts';

/** How often the files are checked. Renewals replace links and folders, which watchers of files do not see. */
const checkMs = 1_000;
/** A certificate that expires within this time is a problem. */
const soonMs = 14 * 24 * 3_600_000;

/** Returns whether the certificate is for a name or an IP address. */
export function isNamed(x509: X509Certificate, host: string): boolean {
  const name = isIP(host) === 0 ? x509.checkHost(host, { subject: 'never' }) : x509.checkIP(host);
  return name !== undefined;
}

/** Returns the first name of the certificate that is an address by itself, not a pattern. */
export function firstName({ subjectAltName = '' }: X509Certificate): string | undefined {
  const names = subjectAltName.split(', ').map((each) => each.replace(/^(?:DNS|IP Address):/, ''));
  return names.find((name) => name !== '' && !name.includes('*'));
}

/** Returns a problem if the certificate has expired or will soon. */
function expiryProblem(file: string, { validToDate }: X509Certificate, now: number): SourceProblem[] {
  const left = validToDate.getTime() - now;
  if (left > soonMs) return [];
  const date = validToDate.toISOString().slice(0, 10);
  const message = `The certificate ${file} ${left <= 0 ? 'has expired' : 'expires'} (${date}). Renew it; the hub reads the new files without a restart.`;
  return [{ place: file, message }];
}

/** Returns what is wrong with the files of a certificate, for a process that does not serve. */
export async function certificateProblems(files: CertificateFiles, now: number): Promise<SourceProblem[]> {
  try {
    return expiryProblem(files.cert, (await readCertificate(files)).x509, now);
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    return [{ place: files.cert, message: error.message }];
  }
}

interface FollowOptions {
  /** Called when a problem appears or is gone. */
  onProblem(): void;
  everyMs?: number;
}

/** The certificate of a running server. */
export class LiveCertificate {
  readonly #files: CertificateFiles;
  readonly #logger: Logger;
  readonly #clock: Pick<Clock, 'now'>;
  #current: Certificate;
  #loaded: string;
  #seen: string;
  #problem: string | undefined;
  #timer: NodeJS.Timeout | undefined;

  static async open(
    files: CertificateFiles,
    parts: { logger: Logger; clock: Pick<Clock, 'now'> },
  ): Promise<LiveCertificate> {
    const state = await stateOf(files);
    return new LiveCertificate(files, { ...parts, state, current: await readCertificate(files) });
  }

  private constructor(
    files: CertificateFiles,
    parts: { logger: Logger; clock: Pick<Clock, 'now'>; state: string; current: Certificate },
  ) {
    this.#files = files;
    this.#logger = parts.logger;
    this.#clock = parts.clock;
    this.#current = parts.current;
    this.#loaded = parts.state;
    this.#seen = parts.state;
  }

  get current(): Certificate {
    return this.#current;
  }

  problems(): SourceProblem[] {
    const { cert: place } = this.#files;
    return [
      ...(this.#problem === undefined ? [] : [{ place, message: this.#problem }]),
      ...expiryProblem(place, this.#current.x509, this.#clock.now()),
    ];
  }

  /** Gives new files to the server when they have changed. A pair that is not valid is reported, and the old one stays. */
  follow(server: Pick<TlsServer, 'setSecureContext'>, { onProblem, everyMs = checkMs }: FollowOptions): void {
    const again = () => {
      this.#timer = setTimeout(() => void check(), everyMs);
      this.#timer.unref();
    };
    const check = async () => {
      const before = this.#problem;
      await this.#check(server);
      if (this.#problem !== before) onProblem();
      if (this.#timer !== undefined) again();
    };
    again();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Waits until the files have been the same twice, because the two of them are not written at once. */
  async #check(server: Pick<TlsServer, 'setSecureContext'>): Promise<void> {
    const state = await stateOf(this.#files);
    const isSettled = state === this.#seen;
    this.#seen = state;
    if (!isSettled || state === this.#loaded) return;
    this.#loaded = state;
    try {
      const next = await readCertificate(this.#files);
      server.setSecureContext({ cert: next.cert, key: next.key });
      this.#current = next;
      this.#problem = undefined;
      this.#logger.info({ file: this.#files.cert }, 'the new certificate is in use');
    } catch (error) {
      const why = error instanceof HubError ? error.message : 'The new certificate cannot be used.';
      this.#problem = `${why} The hub keeps using the certificate that it read before.`;
    }
  }
}

/** Returns a text that changes with the files. A file that is not there counts, too. */
async function stateOf({ cert, key }: CertificateFiles): Promise<string> {
  const states = [cert, key].map(async (file) => {
    const found = await stat(file).catch(() => undefined);
    return found ? `${found.ino} ${found.size} ${found.mtimeMs}` : 'none';
  });
  return (await Promise.all(states)).join(', ');
}
