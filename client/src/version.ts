/** That of package.json, which a test compares. */
export const VERSION = '0.2.0';
