import { bindAddressOption } from './option.ts';

export const metricsAddressOption = bindAddressOption(
  'Address that serves /metrics, /health and /ready; a web server then does not serve /metrics to its clients',
);
