import { describeIngress } from './ingress.contract.ts';
import { openNginxTrial } from './nginxTrial.ts';

const PORT = 21_001;

describeIngress('a real nginx', () => openNginxTrial(PORT));
