/** `uplot.js` is a file of the package: see `src/explorer/static-files.ts`. */
import uPlot from 'uplot';

export default uPlot;
