import { z } from 'zod';

/** Text that every database stores unchanged: without NUL characters and lone surrogates. */
export const text = (max: number) =>
  z
    .string()
    .max(max)
    .refine((value) => !value.includes('\0'), 'must not contain a NUL character')
    .refine((value) => value.isWellFormed(), 'must be well-formed Unicode without lone surrogates');
export const line = (max: number) => text(max).refine((value) => !/[\r\n]/.test(value), 'must be one line');
export const filledLine = (max: number) => line(max).refine((value) => value.trim() !== '', 'must not be empty');
