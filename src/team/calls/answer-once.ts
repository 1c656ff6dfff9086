import type { AnswerMemory, KeyedCall } from '../../tools/answer-memory.ts';

/** For effects that are not in one transaction of the team: with a key, the first answer is kept around them. */
export async function answerOnce<T extends object>(
  answers: AnswerMemory,
  { key, ...call }: Omit<KeyedCall, 'key'> & { key: string | undefined },
  run: () => Promise<T>,
): Promise<T> {
  if (key === undefined) return run();
  const keyed = { ...call, key };
  const first = await answers.begin(keyed);
  // Kept below, for this tool and this input.
  if (first) return first as T;
  try {
    const answer = await run();
    await answers.keep(keyed, answer);
    return answer;
  } catch (error) {
    await answers.release(keyed);
    throw error;
  }
}
