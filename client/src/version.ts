/** That of package.json, which a test compares. */
export const VERSION = '0.3.0';
