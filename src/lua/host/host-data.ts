import { createHash, createHmac } from 'node:crypto';
import { HubError } from '../../base/hub-error.ts';
import { parseJson, stringifyExact } from '../../base/json.ts';
import { bytesArgument, readArgument, textArgument } from '../sandbox/lua-arguments.ts';
import { getGlobal, type LuaFunction, type LuaMachine, LuaRaise, library } from '../sandbox/lua-machine.ts';
import { pushValue } from '../sandbox/lua-values.ts';

/** Opens `json`. Null is nil in what scripts read; they write it as `json.null`. An empty list stays a list when it passes through a script. */
export function openJson(machine: LuaMachine, onLoss: (message: string) => void): void {
  const { api, L } = machine;
  const parse: LuaFunction = (state) => {
    const text = textArgument(machine, state, 1, { name: 'json.parse' });
    pushValue(machine, state, parseText(text));
    return 1;
  };
  library(machine, 'json', {
    parse,
    // The name in many published connectors.
    decode: parse,
    encode(state) {
      const value = readArgument(machine, state, 1, { name: 'the value', onLoss });
      machine.pushText(state, stringifyExact(value));
      return 1;
    },
  });
  getGlobal(machine, 'json');
  machine.pushText(L, 'null');
  api.lua_pushlightuserdata(L, 0);
  api.lua_rawset(L, -3);
  api.lua_settop(L, 0);
}

/** Opens `base64` and `crypto`. Strings are bytes, digests are hex. */
export function openText(machine: LuaMachine): void {
  const bytes = (state: number, index: number, name: string) => bytesArgument(machine, state, index, name);
  library(machine, 'base64', {
    encode(state) {
      machine.pushText(state, bytes(state, 1, 'base64.encode').toString('base64'));
      return 1;
    },
    decode(state) {
      const text = bytes(state, 1, 'base64.decode').toString('latin1').replaceAll(/\s/g, '');
      if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(text)) throw new LuaRaise('base64.decode: the text is not base64');
      machine.pushBytes(state, Buffer.from(text, 'base64'));
      return 1;
    },
  });
  library(machine, 'crypto', {
    sha256(state) {
      machine.pushText(
        state,
        createHash('sha256')
          .update(bytes(state, 1, 'crypto.sha256'))
          .digest('hex'),
      );
      return 1;
    },
    hmac_sha256(state) {
      const key = bytes(state, 1, 'crypto.hmac_sha256');
      machine.pushText(
        state,
        createHmac('sha256', key)
          .update(bytes(state, 2, 'crypto.hmac_sha256'))
          .digest('hex'),
      );
      return 1;
    },
  });
}

/** Parses JSON text. Raises a Lua error if it is invalid. */
export function parseText(text: string): unknown {
  try {
    return parseJson(text, {
      maxCharacters: 10 * 1024 * 1024,
      maxDepth: 64,
      maxElements: 400_000,
      keepsIntegers: true,
    });
  } catch (error) {
    if (error instanceof HubError) throw new LuaRaise(error.message);
    throw error;
  }
}
