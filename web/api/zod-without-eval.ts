import { z } from 'zod';

// Without this, zod tries to compile code once, which the content security policy blocks with a console error.
z.config({ jitless: true });
