// Lets scripts outside build/npm import what is installed there: node --import tests/npm/resolve.mjs SCRIPT
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';

const installed = process.env.HF_NPM ?? new URL('../../build/npm', import.meta.url).pathname;
const parentURL = pathToFileURL(`${installed}/package.json`).href;

registerHooks({
  resolve(specifier, context, next) {
    const bare = !/^(\.|\/|node:|file:)/.test(specifier);
    const outside = !context.parentURL?.includes('/node_modules/');
    return next(specifier, bare && outside ? { ...context, parentURL } : context);
  }
});
