import type { ResponseOptions } from './http-exchange.ts';
import type { HttpSession } from './http-session.ts';

type Accepted = Pick<ResponseOptions, 'acceptsJson' | 'acceptsEvents'>;

/** The response options of a session request, created on demand because most requests need none. */
export class SessionResponse implements ResponseOptions {
  readonly response: ResponseOptions['response'];
  readonly acceptsJson: boolean;
  readonly acceptsEvents: boolean;
  readonly #session: HttpSession;
  #streamName = '';

  constructor(session: HttpSession, response: ResponseOptions['response'], accepted: Accepted) {
    this.#session = session;
    this.response = response;
    this.acceptsJson = accepted.acceptsJson;
    this.acceptsEvents = accepted.acceptsEvents;
  }

  get headers(): Record<string, string> {
    return this.#session.headers;
  }

  get ask(): ResponseOptions['ask'] {
    return (question, send) => this.#session.questions.ask(question, send);
  }

  get notify(): ResponseOptions['notify'] {
    return (text) => this.#session.stream.notify(text);
  }

  get resumableAs(): ResponseOptions['resumableAs'] {
    if (!this.#session.canResume) return undefined;
    return (request) => {
      this.#streamName = this.#session.nameStream(request);
      return this.#streamName;
    };
  }

  get onStream(): ResponseOptions['onStream'] {
    return this.#session.canResume ? (stream) => this.#session.keepStream(this.#streamName, stream) : undefined;
  }

  get onUnread(): ResponseOptions['onUnread'] {
    return this.#session.canResume ? (stream) => this.#session.keepResult(this.#streamName, stream) : undefined;
  }
}
