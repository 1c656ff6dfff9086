import { Link } from '@tanstack/react-router';
import { Check, Circle, LoaderCircle, X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { type FirstSteps, firstStepsId } from '../../../../src/inbox/inbox.ts';
import { useDismiss, useFirstSteps } from '../../../api/inbox-queries.ts';
import { useAgent, useConnect } from '../../../api/queries.ts';
import { firstQuestion } from '../../../parts/agents/first-question.ts';
import { ConnectedClient } from '../../../parts/inbox/connected-client.tsx';
import { buttonClass } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import { CopyLine } from '../../../ui/copy-line.tsx';
import { ErrorBanner } from '../../../ui/error-banner.tsx';
import { IconButton } from '../../../ui/icon-button.tsx';
import { ProgressBar } from '../../../ui/progress-bar.tsx';
import { showError, showToast } from '../../../ui/toast.tsx';

/** What a new hub needs, checked off by what happens in it. Nothing once all of it is done, unless the user saw it happen. */
export function FirstStepsCard() {
  const { data, error, refetch } = useFirstSteps();
  const dismiss = useDismiss();
  const [wasOpen, setWasOpen] = useState(false);
  if (!data && error)
    return (
      <div className="mb-5">
        <ErrorBanner title="The first steps could not be loaded." error={error} onRetry={() => void refetch()} />
      </div>
    );
  if (!data || data.isPutAway) return null;
  const done = [data.model, data.agents > 0, data.clients.length > 0, data.firstCallAt !== null, data.knowledge];
  const count = done.filter(Boolean).length;
  if (count < done.length && !wasOpen) setWasOpen(true);
  if (count === done.length && !wasOpen) return null;
  const hide = () =>
    dismiss.mutate(
      { ids: [firstStepsId] },
      {
        onSuccess: () =>
          showToast('First steps hidden', {
            description: 'To bring them back, choose “Show first steps” in the menu of this screen.',
          }),
        onError: (error) => showError('The first steps could not be hidden', error),
      },
    );
  return (
    <section
      aria-labelledby="first-steps"
      className="mb-5 rounded-card border border-line bg-surface p-4 shadow-card sm:p-5"
    >
      <div className="mb-3 flex items-center gap-3">
        <h2 id="first-steps" className="font-semibold text-base">
          {count === done.length ? 'You are all set' : 'First steps'}
        </h2>
        <span className="text-muted text-sm tabular-nums">
          {count} of {done.length}
        </span>
        <span className="flex-1" />
        <IconButton label="Hide first steps" icon={<X aria-hidden />} onClick={hide} />
      </div>
      <ProgressBar label="First steps done" value={count / done.length} />
      <Steps steps={data} />
    </section>
  );
}

function Steps({ steps }: { steps: FirstSteps }) {
  const [latest] = steps.clients;
  return (
    <ol className="mt-3 flex flex-col divide-y divide-line">
      <Step isDone={steps.model} title="Connect a model" done="A model has answered">
        <StepLink to="/models">Choose a model</StepLink>
      </Step>
      <Step
        isDone={steps.agents > 0}
        title="Create your first agent"
        done={steps.agents === 1 ? '1 agent is ready' : `${steps.agents} agents are ready`}
      >
        {examples.map(({ id, name }) => (
          <Link key={id} to="/new" search={{ template: id }} className={buttonClass({ size: 'sm' })}>
            {name}
          </Link>
        ))}
      </Step>
      <Step
        isDone={latest !== undefined}
        isWaiting={steps.agents > 0}
        title={steps.agents > 0 ? 'Waiting for a client such as Claude Code…' : 'Connect a client such as Claude Code'}
        done={latest && <Connected client={latest} />}
      >
        <StepLink to="/connect">Connect a client</StepLink>
      </Step>
      <Step
        isDone={steps.firstCallAt !== null}
        isWaiting={latest !== undefined}
        title={latest ? 'Waiting for the first call…' : 'Make the first call'}
        done="A client has called a tool"
      >
        {latest &&
          (latest.agentId === null ? (
            <Ask question="List my agents with agent-zoo" />
          ) : (
            <AskAgent id={latest.agentId} toolCount={latest.tools} />
          ))}
      </Step>
      <Step isDone={steps.knowledge} title="Add knowledge" done="A source is indexed">
        <Link to="/knowledge" search={{ add: 'folder' }} className={buttonClass({ size: 'sm' })}>
          Add a folder
        </Link>
        <Link to="/knowledge" search={{ add: 'repository' }} className={buttonClass({ size: 'sm' })}>
          Add a repository
        </Link>
      </Step>
    </ol>
  );
}

function Ask({ question }: { question: string }) {
  return <CopyLine label="Ask your client" what="question" text={question} />;
}

/** What to ask a client that sees only one agent, or how to give that agent a tool. */
function AskAgent({ id, toolCount }: { id: string; toolCount: number }) {
  const { data: agent } = useAgent(id);
  if (!agent) return null;
  if (toolCount > 0) return <Ask question={firstQuestion(agent)} />;
  return (
    <Link to="/a/$id" params={{ id }} search={{ tab: 'tools' }} className={buttonClass({ size: 'sm' })}>
      Give {agent.name} a tool
    </Link>
  );
}

/** Templates that most people understand at once. */
const examples = [
  { id: 'code-reviewer', name: 'Code reviewer' },
  { id: 'writer', name: 'Writer' },
  { id: 'debugger', name: 'Debugger' },
] as const;

function Connected({ client }: { client: FirstSteps['clients'][number] }) {
  const { data } = useConnect(null);
  const known = data?.clients.find(({ id }) => id === client.clientId);
  return <ConnectedClient client={client} name={known?.name} />;
}

interface StepProps {
  isDone: boolean;
  /** It is the client's turn. */
  isWaiting?: boolean;
  title: string;
  /** What was seen. */
  done: ReactNode;
  /** The ways to do it. */
  children: ReactNode;
}

function Step({ isDone, isWaiting = false, title, done, children }: StepProps) {
  const Icon = isDone ? Check : isWaiting ? LoaderCircle : Circle;
  return (
    <li className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-2 py-2">
      <Icon
        aria-hidden
        className={classes(
          'size-4.5 shrink-0',
          isDone ? 'text-accent-text' : 'text-faint',
          !isDone && isWaiting && 'motion-safe:animate-spin',
        )}
      />
      <p role="status" className={classes('min-w-0 flex-1 basis-48 text-sm', isDone && 'text-muted')}>
        {isDone ? done : title}
        <span className="sr-only">{isDone ? ' (done)' : ''}</span>
      </p>
      {!isDone && <div className="flex flex-wrap gap-2 max-sm:ml-7.5">{children}</div>}
    </li>
  );
}

function StepLink({ to, children }: { to: '/models' | '/connect'; children: string }) {
  return (
    <Link to={to} className={buttonClass({ size: 'sm' })}>
      {children}
    </Link>
  );
}
