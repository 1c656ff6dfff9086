import { Braces, Play } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import type { AgentPrompt, PromptMessage } from '../../../../src/agents/agent-prompt.ts';
import type { AgentDetail } from '../../../../src/agents/agents.contract.ts';
import { useResolvePrompt } from '../../../api/knowledge-queries.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Banner } from '../../../ui/banner.tsx';
import { Button } from '../../../ui/button.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { errorText } from '../../../ui/error-state.tsx';
import { TextField } from '../../../ui/input.tsx';

/** An agent whose code builds the prompt: the only way to see it is to ask for it. */
export function TryPrompt({ agent }: { agent: AgentDetail }) {
  const resolve = useResolvePrompt(agent.id);
  const [values, setValues] = useState<Record<string, string>>({});
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    resolve.mutate(Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '')));
  };
  return (
    <section aria-label="Try the prompt" className="flex flex-col gap-3">
      <Banner tone="info" icon={<Braces />}>
        {agent.source === 'lua' ? 'A Lua script builds this prompt' : 'Code builds this prompt'} each time it is asked
        for, with whatever it looks up in the knowledge base. Try it to see what a client would get.
      </Banner>
      <form
        onSubmit={onSubmit}
        className="flex flex-col gap-3 rounded-xl border border-line bg-raised p-3.5 shadow-card"
      >
        {agent.arguments.length > 0 && (
          <div className="grid gap-3 sm:grid-cols-2">
            {agent.arguments.map(({ name, description, required }) => (
              <TextField
                key={name}
                label={required ? `${name} (required)` : name}
                {...(description && { hint: description })}
                autoComplete="off"
                value={values[name] ?? ''}
                onChange={(event) => {
                  const { value } = event.target;
                  setValues((before) => ({ ...before, [name]: value }));
                }}
              />
            ))}
          </div>
        )}
        <div className="flex items-center gap-3">
          <Button type="submit" variant="primary" icon={<Play aria-hidden />} busy={resolve.isPending}>
            Make the prompt
          </Button>
          {agent.arguments.length === 0 && <span className="text-faint text-xs">It takes no arguments.</span>}
        </div>
      </form>
      {resolve.error && (
        <p
          role="alert"
          className="whitespace-pre-wrap break-words rounded-lg bg-danger-soft px-3 py-2 text-danger text-sm"
        >
          {errorText(resolve.error)}
        </p>
      )}
      {resolve.data && <Resolved prompt={resolve.data.result} />}
    </section>
  );
}

function Resolved({ prompt }: { prompt: AgentPrompt }) {
  const { system, messages, tools } = prompt;
  return (
    <div data-testid="resolved-prompt" className="flex flex-col gap-2.5">
      <PromptText title="System" text={system} />
      {messages.map((message, index) => (
        // The messages are a list in order, and nothing else tells them apart.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <PromptText key={index} title={roles[message.role]} text={contentText(message)} />
      ))}
      {tools.length > 0 && (
        <p className="flex flex-wrap items-center gap-1.5 text-muted text-xs">
          Tools in scope:
          {tools.map((tool) => (
            <Badge key={tool}>{tool}</Badge>
          ))}
        </p>
      )}
    </div>
  );
}

const roles: Record<PromptMessage['role'], string> = { user: 'User', assistant: 'Assistant', system: 'System' };

function PromptText({ title, text }: { title: string; text: string }) {
  return (
    <figure className="overflow-hidden rounded-xl border border-line bg-surface">
      <figcaption className="flex items-center gap-2 border-line border-b py-1 pr-1.5 pl-3.5 text-xs">
        <span className="flex-1 font-medium">{title}</span>
        <CopyButton iconOnly label={`Copy ${title.toLowerCase()} text`} text={text} />
      </figcaption>
      <pre className="max-h-96 overflow-auto whitespace-pre-wrap break-words px-3.5 py-3 font-mono text-xs leading-5">
        {text}
      </pre>
    </figure>
  );
}

function contentText({ content }: PromptMessage): string {
  if (typeof content === 'string') return content;
  return content.type === 'text' ? content.text : JSON.stringify(content, null, 2);
}
