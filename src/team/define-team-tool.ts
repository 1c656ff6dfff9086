import { z } from 'zod';
import { HubError } from '../base/hub-error.ts';
import { defineTool, type Tool, type ToolAnnotations, type ToolContext } from '../tools/tool.ts';
import type { WriteOptions } from './calls/once.ts';
import type { Actor, Member } from './members/member.ts';
import type { TeamMembers } from './members/team-members.ts';

/** A call of a team's tool, with the member that makes it. */
interface TeamCall {
  member: Member;
  actor: Actor;
  /** For the write: the key from the input, or else the one from the request around it. */
  options: WriteOptions;
  context: ToolContext;
}

interface TeamToolDefinition<I extends z.ZodObject, O extends z.ZodObject> {
  name: `mcp__${string}__${string}`;
  title: string;
  description: string;
  /** A tool that only reads says `readOnlyHint: true`; every other one takes an idempotency key. */
  annotations?: Partial<ToolAnnotations>;
  input: I;
  /** A rule over several fields: broken, the input is refused with the message. */
  rule?: { holds(input: z.output<I>): boolean; message: string };
  output: O;
  run(input: z.output<I>, call: TeamCall): Promise<z.input<O>>;
}

const harmless = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };

const keyField = {
  idempotencyKey: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('Send the same key again when an answer got lost: the first answer comes back, nothing is done twice.'),
};

/** A tool that only members can call. Its `run` is told which member acts; nothing in the input can say otherwise. */
export function defineTeamTool<I extends z.ZodObject, O extends z.ZodObject>(
  members: Pick<TeamMembers, 'acting'>,
  definition: TeamToolDefinition<I, O>,
): Tool {
  const { name, title, description, output, run, rule } = definition;
  const annotations = { ...harmless, ...definition.annotations };
  const isWriting = !annotations.readOnlyHint;
  const fields: z.ZodObject = isWriting ? definition.input.extend(keyField) : definition.input;
  const tool = defineTool({
    name,
    title,
    description,
    origin: 'built-in',
    annotations,
    isForMembers: true,
    keepsKeys: isWriting,
    hasDeadline: true,
    input: rule ? fields.refine((input) => rule.holds(input as z.output<I>), { error: rule.message }) : fields,
    output,
    run: async ({ idempotencyKey, ...input }, context) => {
      const member = await members.acting(callerId(name, context));
      const given = typeof idempotencyKey === 'string' ? idempotencyKey : context.idempotencyKey;
      // Of a commit whose answer got lost nobody knows: by the call's own id, a retry finds what it did.
      const key = given ?? (isWriting ? context.callId : undefined);
      return run(
        // What is left without the key is what the definition's own schema has produced.
        input as z.output<I>,
        { member, actor: { kind: 'member', member }, options: { idempotencyKey: key }, context },
      );
    },
  });
  return isWriting ? tool : { ...tool, runsWhileLogged: true };
}

function callerId(tool: string, context: ToolContext): string {
  const { member } = context.caller;
  if (member) return member.id;
  throw new HubError('PERMISSION_DENIED', `Tool '${tool}' is for members of the team.`);
}
