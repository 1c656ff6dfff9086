import { z } from 'zod';

/** The name of a source that a person adds, the second part of its label. */
export const SourceName = z
  .string()
  .regex(
    /^[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,62}[A-Za-z0-9])?$/,
    'must be 1–64 of a–z A–Z 0–9 _ . - and begin and end with a letter or digit',
  );
