import { useMemo, useState } from 'react';
import { readClientConfig } from '../../../src/servers/import/read-client-config.ts';
import type { ServerDefinition } from '../../../src/servers/server-definition.ts';
import { useAddServer, useServers } from '../../api/server-queries.ts';
import type { DraftNoteProps } from '../../parts/drafts/draft-note.tsx';
import { useFormDraft } from '../../parts/drafts/use-form-draft.ts';
import { errorText } from '../../ui/error-state.tsx';
import { formatCount } from '../../ui/format-count.ts';
import { showToast } from '../../ui/toast.tsx';
import { isSecretFree, pastedWithoutSecrets } from './pasted-without-secrets.ts';
import { checkServerName } from './server-form.ts';

export interface PastedServer {
  /** The name in the JSON. */
  key: string;
  /** The name in the hub. */
  name: string;
  definition: ServerDefinition;
  isChosen: boolean;
  problem: string | null;
}

export interface PastedServers {
  draft: DraftNoteProps['draft'];
  /** Whether the JSON contains secrets, which are not kept. */
  hasSecret: boolean;
  text: string;
  setText: (text: string) => void;
  /** A problem with the whole text. */
  problem: string | null;
  /** Whether the servers wait until it is known which names are taken. */
  isChecking: boolean;
  servers: PastedServer[];
  /** Problems with single entries. */
  problems: { name: string; message: string }[];
  chosen: PastedServer[];
  change: (key: string, change: Choice) => void;
  submit: () => void;
  isPending: boolean;
}

interface Choice {
  name?: string;
  isChosen?: boolean;
}

/** What was pasted, and what was chosen for its servers. */
interface Pasted {
  text: string;
  choices: readonly (Choice & { key: string })[];
}

const empty: Pasted = { text: '', choices: [] };

/** Parses pasted JSON, tracks the user's choices and adds the chosen servers. A failed one stays with its error. */
export function usePastedServers(taken: readonly string[], onDone: () => void): PastedServers {
  const add = useAddServer();
  // Without the list, every name would look free and be chosen.
  const isUnknown = useServers().isPending;
  const draft = useFormDraft<Pasted>('server/json', empty, {
    withoutSecrets: (typed) => ({ ...typed, text: pastedWithoutSecrets(typed.text) }),
  });
  const { text } = draft.value;
  const choices = Object.fromEntries(draft.value.choices.map(({ key, ...choice }) => [key, choice]));
  const [added, setAdded] = useState<readonly string[]>([]);
  const [failed, setFailed] = useState<Record<string, string>>({});
  const [isPending, setIsPending] = useState(false);
  const read = useMemo(() => readPasted(text), [text]);
  const others = (key: string) => [
    ...taken,
    ...read.servers.filter((each) => each.name !== key).map((each) => choices[each.name]?.name ?? each.name),
  ];
  const left = read.servers.filter(({ name }) => !added.includes(name));
  const servers = (isUnknown ? [] : left).map(({ name: key, definition }): PastedServer => {
    const name = choices[key]?.name ?? key;
    const problem = failed[key] ?? checkServerName(name, others(key));
    return { key, name, definition, isChosen: choices[key]?.isChosen ?? !taken.includes(name), problem };
  });
  const chosen = servers.filter((server) => server.isChosen);

  const submit = async () => {
    if (isPending || chosen.length === 0 || chosen.some((server) => checkServerName(server.name, others(server.key))))
      return;
    setIsPending(true);
    const failures: Record<string, string> = {};
    for (const { key, name, definition } of chosen) {
      try {
        await add.mutateAsync({ name, definition });
        setAdded((before) => [...before, key]);
      } catch (error) {
        failures[key] = errorText(error);
      }
    }
    setFailed(failures);
    setIsPending(false);
    const count = chosen.length - Object.keys(failures).length;
    if (count > 0) showToast(`Added ${formatCount(count, 'server')}. Connecting…`);
    if (Object.keys(failures).length > 0) return;
    draft.forget();
    onDone();
  };

  return {
    text,
    draft,
    hasSecret: left.some(({ definition }) => !isSecretFree(definition)),
    setText: (next) => {
      draft.set((before) => ({ ...before, text: next }));
      setFailed({});
    },
    problem: read.problem,
    isChecking: isUnknown && left.length > 0,
    servers,
    problems: read.problems,
    chosen,
    change: (key, change) => {
      setFailed({});
      draft.set((before) => ({
        ...before,
        choices: [...before.choices.filter((each) => each.key !== key), { key, ...choices[key], ...change }],
      }));
    },
    submit: () => void submit(),
    isPending,
  };
}

type ReadPasted = Pick<PastedServers, 'problem' | 'problems'> & {
  servers: { name: string; definition: ServerDefinition }[];
};

function readPasted(text: string): ReadPasted {
  if (text.trim() === '') return { problem: null, servers: [], problems: [] };
  const { servers, problems } = readClientConfig(text);
  const textProblems = problems.filter(({ name }) => name === '').map(({ message }) => message);
  return {
    problem: textProblems.length === 0 ? null : textProblems.join(' '),
    servers,
    problems: problems.filter(({ name }) => name !== ''),
  };
}
