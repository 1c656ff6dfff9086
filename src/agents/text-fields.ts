import { z } from 'zod';

/** Text that every database gives back as it was: no NUL, no half of a surrogate pair. */
export const text = (most: number) =>
  z
    .string()
    .max(most)
    .refine((value) => !value.includes('\0'), 'must not contain a NUL character')
    .refine((value) => value.isWellFormed(), 'must be whole characters; half of a surrogate pair stands alone');
export const line = (most: number) => text(most).refine((value) => !/[\r\n]/.test(value), 'must be one line');
export const filledLine = (most: number) => line(most).refine((value) => value.trim() !== '', 'must not be empty');
