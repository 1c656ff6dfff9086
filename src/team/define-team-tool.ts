import { z } from 'zod';
import { HubError } from '../base/hub-error.ts';
import { defineTool, type Tool, type ToolAnnotations, type ToolContext } from '../tools/tool.ts';
import type { WriteOptions } from './calls/once.ts';
import { type Actor, human, type Member } from './members/member.ts';
import type { TeamMembers } from './members/team-members.ts';

/** A call to a team tool, with its actor. */
class TeamCall {
  readonly actor: Actor;
  /** The idempotency key from the input, or else from the request. */
  readonly options: WriteOptions;
  readonly context: ToolContext;
  readonly #tool: string;

  constructor(tool: string, { actor, options, context }: Pick<TeamCall, 'actor' | 'options' | 'context'>) {
    this.#tool = tool;
    this.actor = actor;
    this.options = options;
    this.context = context;
  }

  /** Throws PERMISSION_DENIED if the user calls: some tools only make sense for a member. */
  get member(): Member {
    if (this.actor.kind === 'member') return this.actor.member;
    throw forMembers(this.#tool);
  }
}

interface TeamToolDefinition<I extends z.ZodObject, O extends z.ZodObject> {
  name: `mcp__${string}__${string}`;
  title: string;
  description: string;
  /** A tool that only reads sets `readOnlyHint: true`. Every other tool takes an idempotency key. */
  annotations?: Partial<ToolAnnotations>;
  input: I;
  /** A rule across several fields. Input that breaks it is rejected with the message. */
  rule?: { holds(input: z.output<I>): boolean; message: string };
  output: O;
  /** Set if only the user may call it, through a screen or a command. Lists leave it out. */
  isForUser?: true;
  run(input: z.output<I>, call: TeamCall): Promise<z.input<O>>;
}

const harmless = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };

const keyField = {
  idempotencyKey: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe(
      'If a reply got lost, repeat the call with the same key: you get the first reply, and nothing is done twice.',
    ),
};

/** Defines a tool for members, which the user may also call in person. `run` gets the actor, which the input cannot override. */
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
    // The rules of the member's type decide.
    right: 'work',
    annotations,
    isForMembers: true,
    isHidden: definition.isForUser ?? false,
    keepsKeys: isWriting,
    hasDeadline: true,
    input: rule ? fields.refine((input) => rule.holds(input as z.output<I>), { error: rule.message }) : fields,
    output,
    run: async (parsed, context) => {
      const actor = await actorOf(members, name, context);
      // A tool that only reads has no key, so its input is the output of the definition's own schema.
      if (!isWriting) {
        const options = { idempotencyKey: context.idempotencyKey };
        return run(parsed as z.output<I>, new TeamCall(name, { actor, options, context }));
      }
      const { idempotencyKey, ...input } = parsed;
      const requestedKey = typeof idempotencyKey === 'string' ? idempotencyKey : context.idempotencyKey;
      // Without a key, the call's id lets a retry after an uncertain commit find out what the first attempt did.
      const options = { idempotencyKey: requestedKey ?? context.callId };
      // Without the key, the input is the output of the definition's own schema.
      return run(input as z.output<I>, new TeamCall(name, { actor, options, context }));
    },
  });
  return Object.assign(tool, {
    ...(!isWriting && { runsWhileLogged: true }),
    ...(definition.isForUser && { isForUser: true }),
  });
}

async function actorOf(members: Pick<TeamMembers, 'acting'>, tool: string, { caller }: ToolContext): Promise<Actor> {
  if (caller.member) return { kind: 'member', member: await members.acting(caller.member.id) };
  if (caller.isUser) return human;
  throw forMembers(tool);
}

function forMembers(tool: string): HubError {
  return new HubError(
    'PERMISSION_DENIED',
    `Tool '${tool}' is for members of the team only. Call it with a member's token.`,
  );
}
