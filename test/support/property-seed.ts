import fc from 'fast-check';

/** Runs before each test file: generated cases are the same in every run, unless `npm run proof` or a person names another seed. */
const named = process.env.ZOO_TEST_SEED;
const seed = named === undefined ? 20_240_229 : Number(named);
if (!Number.isSafeInteger(seed)) throw new Error(`ZOO_TEST_SEED is "${named}"; it must be a whole number.`);
fc.configureGlobal({ seed });
