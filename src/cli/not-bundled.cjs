'use strict';

/** In the place of a part of a package that we never call (`vite.config.ts`). */
module.exports = () => {
  throw new Error('this part of a package is not in the bundle');
};
