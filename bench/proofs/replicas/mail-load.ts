import type { Fleet } from './fleet.ts';

/** A member that sends mail to the user through the proxy, with its token. */
export interface MailSender {
  /** Returns the id of the mail; undefined for an error that says whether the call may be repeated. Throws on any other reply. */
  send(subject: string): Promise<string | undefined>;
  /** Calls a tool. Throws on any reply but a result. */
  call(toolName: string): Promise<void>;
}

export async function addSender({ url, owner }: Fleet, id: string): Promise<MailSender> {
  const { status, body } = await post(`${url}/api/team/members`, { id, type: 'WORKER' }, owner);
  if (status !== 201) throw new Error(`The member could not be added: ${JSON.stringify(body)}`);
  const token = { authorization: `Bearer ${body.token}` };
  const execute = (toolName: string, input: object) =>
    post(`${url}/mcp/execute`, { agentId: id, toolName, input }, token);
  return {
    async call(toolName) {
      const reply = await execute(toolName, {});
      if (reply.status !== 200)
        throw new Error(`${toolName} got the reply ${reply.status}: ${JSON.stringify(reply.body)}`);
    },
    async send(subject) {
      const reply = await execute('mcp__mail__send', { toHuman: true, subject, body: 'A mail of the proof.' });
      if (reply.status === 200) return String(reply.body.data?.mailId);
      const { retryable } = reply.body.error?.details ?? reply.body.error ?? {};
      if (typeof retryable === 'boolean') return undefined;
      throw new Error(`A mail got the reply ${reply.status}: ${JSON.stringify(reply.body)}`);
    },
  };
}

interface Reply {
  status: number;
  body: {
    token?: string;
    data?: { mailId?: string };
    error?: { retryable?: boolean; details?: { retryable?: boolean } };
  };
}

async function post(url: string, body: object, headers: Record<string, string>): Promise<Reply> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  // Each field is checked where it is read.
  return { status: response.status, body: (await response.json()) as Reply['body'] };
}
