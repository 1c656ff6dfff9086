import { setTimeout as sleep } from 'node:timers/promises';
import { beginSession, type Headers, post, type Reply } from './http-calls.ts';

/** Callers that work with two hubs on one database, on every surface, and what came of it. Any error counts. */
export class UpgradeLoad {
  readonly acknowledged = new Set<string>();
  /** The tasks that a member was given. */
  readonly claims: string[] = [];
  readonly counts = new Map<string, number>();
  readonly errors: string[] = [];
  readonly notReady: string[] = [];
  reads = 0;
  readyChecks = 0;
  readonly #owner: Headers;
  readonly #tokens = new Map<string, string>();
  readonly #done = new Map<string, number>();

  constructor(owner: Headers) {
    this.#owner = owner;
  }

  /** Makes what the callers need: an agent, members and tasks. */
  async prepare(url: string, tasks: number): Promise<void> {
    await this.#expect(
      201,
      post(`${url}/api/agents`, { name: 'Base', systemPrompt: 'You are the base.' }, this.#owner),
    );
    const members = ['lead', 'old', 'new', 'old again'].map((name) => name.replace(' ', '-'));
    for (const id of members) {
      const type = id === 'lead' ? 'ORCHESTRATOR' : 'WORKER';
      const { body } = await this.#expect(201, post(`${url}/api/team/members`, { id, type }, this.#owner));
      this.#tokens.set(id, body.token);
    }
    for (let index = 0; index < tasks; index += 1)
      await this.#expect(200, this.#execute(url, 'lead', 'mcp__task__create', { title: `Task ${index}` }));
  }

  /** Starts callers of one hub. */
  async start(name: string, url: string): Promise<{ stop(): Promise<void> }> {
    const stopping = new AbortController();
    const member = name.replace(' ', '-');
    const session = await beginSession(url);
    const mcp = (tool: string, input: object) =>
      post(
        `${url}/mcp`,
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: input } },
        session,
      );
    const repeat = async (kind: string, call: () => Promise<string | undefined>) => {
      while (!stopping.signal.aborted) {
        try {
          const id = await call();
          if (id === undefined) this.reads += 1;
          else this.acknowledged.add(id);
          this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
          this.#done.set(name, (this.#done.get(name) ?? 0) + 1);
        } catch (error) {
          this.errors.push(`${name}, ${kind}: ${error instanceof Error ? error.message : String(error)}`);
          await sleep(50);
        }
      }
    };
    const callers = [
      repeat('agents', async () => {
        const agent = { name: `Agent ${crypto.randomUUID()}` };
        const { body } = await this.#expect(201, post(`${url}/api/agents`, agent, this.#owner));
        return String(body.id ?? body.agent?.id);
      }),
      repeat('mails', async () => {
        const input = { toHuman: true, subject: 's', body: 'b' };
        const { body } = await this.#expect(200, this.#execute(url, member, 'mcp__mail__send', input));
        return String(body.data.mailId);
      }),
      repeat('memories', async () => {
        const entry = { type: 'note', content: crypto.randomUUID() };
        const { body } = await this.#expect(201, post(`${url}/api/agents/base/brain`, entry, this.#owner));
        return String(body.id ?? body.entry?.id);
      }),
      repeat('claims', async () => {
        const { body } = await this.#expect(
          200,
          this.#execute(url, member, 'mcp__task__update_status', { status: 'IN_PROGRESS' }),
        );
        const id = String(body.data.id ?? body.data.task?.id);
        this.claims.push(id);
        await this.#expect(
          200,
          this.#execute(url, member, 'mcp__task__update_status', { taskId: id, status: 'REVIEW' }),
        );
        await sleep(100);
        return id;
      }),
      repeat('injections', async () => {
        const { body } = await this.#expect(200, mcp('agent_zoo_inject', { agentId: 'base' }));
        if (body.result?.isError || !JSON.stringify(body.result).includes('You are the base.'))
          throw new Error(`wrong answer ${JSON.stringify(body).slice(0, 300)}`);
        return undefined;
      }),
      this.#watchReady(name, url, stopping.signal),
    ];
    return {
      stop: async () => {
        stopping.abort();
        await Promise.all(callers);
      },
    };
  }

  /** Resolves when a hub has acknowledged so many more calls. */
  async acknowledgedMore(name: string, count: number): Promise<void> {
    const goal = (this.#done.get(name) ?? 0) + count;
    while ((this.#done.get(name) ?? 0) < goal) {
      if (this.errors.length > 100) throw new Error(`Too many errors: ${this.errors.slice(0, 5).join('; ')}`);
      await sleep(50);
    }
  }

  /** Changes an agent at one hub, and returns how long the other one goes on injecting the old prompt. */
  async travels(from: string, to: string): Promise<number> {
    const name = `Traveller ${crypto.randomUUID().slice(0, 8)}`;
    const { body } = await this.#expect(201, post(`${from}/api/agents`, { name }, this.#owner));
    const id = String(body.id ?? body.agent?.id);
    const session = await beginSession(to);
    const since = performance.now();
    for (;;) {
      const params = { name: 'agent_zoo_inject', arguments: { agentId: id } };
      const reply = await post(`${to}/mcp`, { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, session);
      if (reply.body.result && !reply.body.result.isError) return performance.now() - since;
      if (performance.now() - since > 30_000) throw new Error('A change did not reach the other hub in 30 seconds.');
      await sleep(5);
    }
  }

  async #watchReady(name: string, url: string, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const response = await fetch(`${url}/ready`);
      this.readyChecks += 1;
      if (response.status !== 200) this.notReady.push(`${name} is not ready: ${await response.text()}`);
      else await response.text();
      await sleep(250);
    }
  }

  #execute(url: string, member: string, toolName: string, input: object): Promise<Reply> {
    const headers = { authorization: `Bearer ${this.#tokens.get(member)}` };
    return post(`${url}/mcp/execute`, { agentId: member, toolName, input }, headers);
  }

  async #expect(status: number, replying: Promise<Reply>): Promise<Reply> {
    const reply = await replying;
    if (reply.status !== status) throw new Error(`${reply.status} ${JSON.stringify(reply.body).slice(0, 400)}`);
    return reply;
  }
}
