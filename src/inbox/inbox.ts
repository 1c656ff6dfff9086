import { z } from 'zod';

/** What can wait for the user, in the order of the filters on the screen. */
export const inboxKinds = ['approval', 'review', 'tools', 'failure', 'mail', 'trust', 'sign-in'] as const;
export type InboxKind = (typeof inboxKinds)[number];

const common = {
  id: z.string().describe('Stays the same until the item is settled. A new failure of the same thing has a new id.'),
  title: z
    .string()
    .describe(
      'Short enough for a notification. That of a mail is its subject, and that of a review the title of the task.',
    ),
  why: z.string(),
  since: z.number().describe('Milliseconds since the epoch; 0 if it is not known.'),
  urgency: z.enum(['high', 'normal']),
  link: z.string().describe('Where the web app shows it.'),
};

/** A call that an agent may make only with an approval. `POST /api/chats/{id}/approvals/{toolUseId}` settles it. */
const ApprovalItem = z.object({
  ...common,
  kind: z.literal('approval'),
  settle: z.object({
    chatId: z.string(),
    toolUseId: z.string(),
    agentId: z.string(),
    tool: z.string(),
    input: z.unknown(),
    outside: z.array(z.string()).describe('What the chat has read from outside, if that is why it asks.'),
  }),
});

/** A task that the user reviews. `POST /api/tasks/{id}/approve` or `…/request-changes` settles it. */
const ReviewItem = z.object({
  ...common,
  kind: z.literal('review'),
  settle: z.object({ taskId: z.string(), assigneeId: z.string().nullable() }),
});

/** New or changed tools of an external server. `POST /api/servers/{name}/accept` accepts them. */
const ToolsItem = z.object({
  ...common,
  kind: z.literal('tools'),
  settle: z.object({ server: z.string(), tools: z.array(z.string()) }),
});

const isModelAtFault = z
  .boolean()
  .describe('The model failed or is not set up: its provider may need a change before trying again helps.');

/** Something that failed. Trying again or `POST /api/inbox/dismissed` settles it. */
const FailureItem = z.object({
  ...common,
  kind: z.literal('failure'),
  settle: z.discriminatedUnion('what', [
    z.object({
      what: z.literal('chat'),
      chatId: z.string(),
      messageId: z
        .string()
        .nullable()
        .describe('The message that was not answered. It may be on another branch than the active one.'),
      isModelAtFault,
    }),
    z.object({
      what: z.literal('run'),
      runId: z.string(),
      canRetry: z.boolean().describe('False if its agent is not in this hub.'),
      isModelAtFault,
    }),
    z.object({ what: z.literal('source'), source: z.string() }),
    z.object({
      what: z.literal('server'),
      server: z.string(),
      hasBadCredentials: z
        .boolean()
        .describe('The server rejects the credentials in its settings. Connecting again sends the same ones.'),
    }),
    z.object({ what: z.literal('deliveries'), ids: z.array(z.string()) }),
    z.object({ what: z.literal('budget'), budget: z.string() }),
  ]),
});

/** A thread with unread mail for the user. Reading or answering it settles it. */
const MailItem = z.object({
  ...common,
  kind: z.literal('mail'),
  settle: z.object({ threadId: z.string(), mailId: z.string(), canReply: z.boolean() }),
});

/**
 * Parts of the hub's config that do nothing until the user trusts them. `GET /api/trust/folder` shows them. `POST /api/trust` trusts
 * them, and a dismissal leaves them held.
 */
const TrustItem = z.object({ ...common, kind: z.literal('trust'), settle: z.object({ folder: z.string() }) });

/** A server that needs a new sign-in, now or soon. `POST /api/servers/{name}/sign-in` starts it. */
const SignInItem = z.object({ ...common, kind: z.literal('sign-in'), settle: z.object({ server: z.string() }) });

export const InboxItem = z.discriminatedUnion('kind', [
  ApprovalItem,
  ReviewItem,
  ToolsItem,
  FailureItem,
  MailItem,
  TrustItem,
  SignInItem,
]);
export type InboxItem = z.infer<typeof InboxItem>;
export type ItemOf<K extends InboxKind> = Extract<InboxItem, { kind: K }>;

/** Whether a dismissal takes an item out of the inbox. The others wait until they are settled. */
export function canBeDismissed({ kind }: InboxItem): boolean {
  return kind === 'failure' || kind === 'sign-in' || kind === 'tools' || kind === 'trust';
}

/** Returns the id of the question whether to trust a config. */
export function trustItemId(seen: string): string {
  return `trust:${seen}`;
}

/** The order of the inbox: the most urgent first, then the newest. */
export function byUrgency(one: InboxItem, other: InboxItem): number {
  if (one.urgency !== other.urgency) return one.urgency === 'high' ? -1 : 1;
  return other.since - one.since || (one.id < other.id ? -1 : 1);
}

/** The id with which the first steps are dismissed. */
export const firstStepsId = 'first-steps';

/** An MCP client that has connected, as it describes itself. */
export const ConnectedClient = z.object({
  name: z.string(),
  version: z.string(),
  agentId: z.string().nullable().describe('The agent whose view it opened. Null for the whole hub.'),
  tools: z.int().describe('The number of tools that it was offered.'),
  at: z.number().describe('When it last connected, in milliseconds since the epoch.'),
  clientId: z.string().nullable().describe('The matching client in `GET /api/connect`.'),
});
export type ConnectedClient = z.infer<typeof ConnectedClient>;

/** How far a new hub is set up. */
export const FirstSteps = z.object({
  isPutAway: z.boolean(),
  model: z.boolean().describe('A model has answered.'),
  agents: z.int(),
  clients: z.array(ConnectedClient).describe('The latest first.'),
  firstCallAt: z.number().nullable().describe('When an MCP client first called a tool successfully.'),
  knowledge: z.boolean().describe('A source was synced.'),
});
export type FirstSteps = z.infer<typeof FirstSteps>;
