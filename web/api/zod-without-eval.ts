import { z } from 'zod';

// The content security policy forbids code from strings; without this zod tries it once and the console shows a violation.
z.config({ jitless: true });
