import { z } from 'zod';
import { filledLine, text } from '../text-fields.ts';
import { templateProblems } from './fill-template.ts';
import { ToolInputSchema } from './tool-parameters.ts';

/** How long an answer is cached, and for which calls. */
const ResultCache = z.strictObject({
  seconds: z.int().min(1).max(2_592_000),
  /** The parameters that distinguish calls; all parameters if omitted. */
  key: z.array(z.string()).min(1).max(100).exactOptional(),
});

/** A tool of a Tools-mode agent: a prompt template with parameters. */
export const ExposedTool = z
  .strictObject({
    name: z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/, 'must be 1–64 characters from A–Z a–z 0–9 _ . -'),
    description: text(4_000).default(''),
    parameters: ToolInputSchema,
    prompt: text(100_000),
    /** The schema of the agent's answer. Without it, the answer is text. */
    outputSchema: ToolInputSchema.exactOptional(),
    cache: ResultCache.exactOptional(),
    version: filledLine(40).exactOptional(),
  })
  .superRefine((tool, context) => {
    for (const message of templateProblems(tool.prompt, tool)) {
      context.addIssue({ code: 'custom', path: ['prompt'], message });
    }
    for (const [index, name] of (tool.cache?.key ?? []).entries()) {
      if (Object.hasOwn(tool.parameters.properties ?? {}, name)) continue;
      const message = `there is no parameter "${name.slice(0, 80)}"`;
      context.addIssue({ code: 'custom', path: ['cache', 'key', index], message });
    }
  });
export type ExposedTool = z.infer<typeof ExposedTool>;
