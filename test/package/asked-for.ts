/** The slow tests of what is handed out: they pack, install and build, for minutes, so they run only when asked for. */

/** For the `skip` of a test: false when `npm run test:package` asks for it, otherwise what to do to run it. */
export const skipped: string | false =
  process.env.TEST_PACKAGE === undefined || process.env.TEST_PACKAGE === ''
    ? 'slow: npm run test:package runs it'
    : false;
