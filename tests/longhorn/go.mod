// What Longhorn itself defines, for the tests that judge our types by it: the definitions in k8s/crds.yaml are read from the module cache.
module holdfast.io/tests/longhorn

go 1.21

require github.com/longhorn/longhorn-manager v1.12.0
