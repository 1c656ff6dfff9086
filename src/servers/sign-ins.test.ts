import { expect, it, vi } from 'vitest';
import { SignIns } from './sign-ins.ts';

it.each(['', 'x', 'x'.repeat(42), 'x'.repeat(44), `${'x'.repeat(42)}+`, `${'x'.repeat(43)}\n`])(
  'the state %j, which no sign-in has, never reaches the store',
  async (state) => {
    const takeSignIn = vi.fn(async () => undefined);
    const vault = { seal: async (text: string) => text, open: async (text: string) => text };
    const signIns = new SignIns({ addSignIn: async () => {}, takeSignIn }, vault);
    await expect(signIns.take(state)).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
    expect(takeSignIn).not.toHaveBeenCalled();
    await expect(signIns.take(signIns.newState())).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
    expect(takeSignIn).toHaveBeenCalledOnce();
  },
);
