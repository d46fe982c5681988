/** Whether the tests of templates run at their full length: `TEMPLATES_LONG=1`. */
export const isLong = process.env.TEMPLATES_LONG === '1';
