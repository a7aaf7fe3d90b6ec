/** Commands of the guide that a test runs in its own way, with its own names and places, by the file of that test. */
export const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  'e2e/containers/images.system.test.ts': [
    'sudo BUILDAH_FORMAT=docker podman-compose --project-name sallyport up --detach --build',
    'sudo BUILDAH_FORMAT=docker podman-compose --project-name sallyport-node up --detach --build',
    'sudo podman network create --subnet 172.30.77.0/24 sallyport-node_published',
    'sudo podman-compose --project-name sallyport exec gateway sallyport-gateway check',
    'sudo podman-compose --project-name sallyport-node exec node sallyport status',
  ],
  'e2e/journeys/joinByLine.system.test.ts': [
    "curl -fsSk --pinnedpubkey 'sha256//…' https://gateway.example.com:9443/join | sudo SALLYPORT_CODE_FILE=/root/code sh",
    "curl -fsSk --pinnedpubkey 'sha256//…' https://gateway.example.com:9443/join | sudo sh",
  ],
  'e2e/journeys/joinByCli.system.test.ts': [
    'sudo sallyport login --url https://gateway.example.com:9443',
    'sudo sallyport http web --port 8080 --domain app.example.com',
    'sudo sallyport http web --port 8080 --domain web.example.com',
    'sudo sallyport disable http web',
  ],
  'e2e/journeys/keptBySystemd.system.test.ts': ['sudo sallyport service uninstall'],
  'e2e/journeys/gatewayBySystemd.system.test.ts': [
    'echo age1… | sudo tee /etc/sallyport/backup.recipient',
    'sudo systemctl reload sallyport-gateway',
    'sudo systemctl stop sallyport-gateway',
    'sudo systemctl start sallyport-gateway',
  ],
  'e2e/tunnel/gatewayNode.system.test.ts': ['sudo wg-quick up ./sp-2.conf'],
  'packages/gateway/src/admin/importNpm.system.test.ts': [
    'sudo sallyport-gateway import nginx-proxy-manager database.sqlite',
    'sudo sallyport-gateway import nginx-proxy-manager database.sqlite --apply',
  ],
  'packages/gateway/src/admin/importWiredoor.system.test.ts': [
    'sudo sallyport-gateway import wiredoor DIRECTORY',
    'sudo sallyport-gateway import wiredoor DIRECTORY --apply',
  ],
  'packages/gateway/src/admin/importWiredoorApi.system.test.ts': [
    'sudo sallyport-gateway import wiredoor https://wiredoor.example.com --username admin@example.com',
    'sudo sallyport-gateway import wiredoor https://wiredoor.example.com --username admin@example.com --apply',
  ],
  'packages/gateway/src/main.system.test.ts': ['sudo cat /var/lib/sallyport/initial-password'],
  'scripts/package.system.test.mjs': ['npm run boot -- package', 'sha256sum --check --ignore-missing SHA256SUMS'],
};

/** Commands of the guide that no test runs, by the reason: they are run by hand before a release. */
export const BY_HAND: Readonly<Record<string, readonly string[]>> = {
  'they fetch Node and the libraries, or need what is fetched': [
    'npm run boot -- build',
    'npm run --silent boot -- exec sallyport --help',
  ],
  'they change the packages of the machine itself; what the packages do is tried in scripts/package.system.test.mjs': [
    'sudo apt update',
    'sudo apt install curl',
    'sudo apt install podman podman-compose netavark aardvark-dns',
    'sudo dpkg --configure -a',
    'sudo apt install --no-install-recommends ./sallyport-gateway_0.1.0_$(dpkg --print-architecture).deb',
    'sudo apt install ./sallyport-gateway_0.1.0_$(dpkg --print-architecture).deb',
    'sudo apt install ./dist/sallyport_0.1.0_$(dpkg --print-architecture).deb',
    'sudo apt install ./sallyport_0.1.0_$(dpkg --print-architecture).deb',
    'sudo apt remove sallyport-gateway',
    'sudo apt purge sallyport-gateway',
    'sudo apt purge sallyport',
    'sudo apt purge wireguard-tools wireguard-go nftables',
    'sudo apt purge curl',
    'sudo rm -r /etc/sallyport',
  ],
  "they change the services and settings of the machine's own systemd; others of their kind are tried in gatewayBySystemd":
    [
      'sudo systemctl enable --now sallyport-gateway-backup.timer',
      'sudo journalctl --unit sallyport-gateway --output cat --no-pager --boot --lines 40',
      'echo SALLYPORT_VPN_HOST=gateway.example.com | sudo tee -a /etc/sallyport/gateway.env',
      "sudo tee -a /etc/sallyport/gateway.env <<'END'",
    ],
  "they change the machine's own firewall": [
    'sudo ufw allow 80,443,9443/tcp',
    'sudo ufw allow 51820/udp',
    'sudo ufw delete allow 9443/tcp',
    'sudo ufw allow proto tcp from 198.51.100.7 to any port 9443',
  ],
  'they need Docker and a registry; the compose files are run by podman-compose in e2e/containers/images.system.test.ts':
    [
      'cd containers/gateway',
      'cd containers/node',
      'echo SALLYPORT_VPN_HOST=gateway.example.com > .env',
      'echo SALLYPORT_URL=https://gateway.example.com:9443 > .env',
      'echo SALLYPORT_PIN=the-fingerprint >> .env',
      'cat > admin-password',
      'cat > node-token',
      'docker compose up --detach --build',
      'docker compose exec gateway sallyport-gateway check',
      'docker compose exec node sallyport status',
      'docker compose logs gateway',
      'docker run --detach --publish 127.0.0.1:8088:80 nginx',
      'docker build --file containers/node/Containerfile --tag registry.example.com/sallyport-node:0.1.0 .',
      'docker build --platform linux/arm64 --file containers/node/Containerfile --tag registry.example.com/sallyport-node:0.1.0 .',
      'docker push registry.example.com/sallyport-node:0.1.0',
    ],
  'they need a cluster; the manifests are checked in e2e/containers/manifests.system.test.ts': [
    'kubectl apply --filename containers/kubernetes/namespace.yaml',
    'kubectl apply --kustomize containers/kubernetes',
    'kubectl create secret generic sallyport-node --namespace sallyport --from-file token',
    'kubectl expose deployment web --type=NodePort --port=80',
    "kubectl get service web --output=jsonpath='{.spec.ports[0].nodePort}'",
    'kubectl logs --namespace sallyport deployment/sallyport-node',
  ],
  'they need another machine, an interactive shell or a clone of the repository': [
    'ssh -N -L 3000:127.0.0.1:3000 gateway.example.com',
    "alias sallyport='node /path/to/sallyport/packages/cli/dist/main.js'",
    'git log -1',
  ],
};
