#!/bin/sh
# A real one-node Slurm from Debian's packages: an experiment as two job arrays, scancel in the middle, resubmission of
# subsets, a task that is killed again and again, the merge behind it; the result must be byte for byte that of one run.
# Run it as root on a computer that may be changed (a container of CI): tests/slurm.sh path/to/hyperplay
#
# Where the packages cannot be installed, or the daemons do not start, it says so and ends with code 0: skipped.
set -eu

program=$(readlink -f "${1:?usage: tests/slurm.sh path/to/hyperplay}")
skip() { echo "skipped: $*"; exit 0; }

[ "$(id -u)" = 0 ] || skip "installing Slurm needs root"
if ! command -v slurmctld >/dev/null; then
    command -v apt-get >/dev/null || skip "no apt-get"
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends slurmctld slurmd slurm-client munge \
        >/dev/null 2>&1 || skip "Slurm's packages cannot be installed"
fi

work=$(mktemp -d)
chmod 755 "$work"
daemons=""
cleanup() {
    for id in $daemons; do kill "$id" 2>/dev/null || true; done
    wait 2>/dev/null || true
    rm -rf "$work"
}
trap cleanup EXIT

# One node, this one, with as many processors as it has; no accounting, no cgroups.
host=$(hostname -s)
processors=$(nproc)
mkdir -p "$work/state" "$work/spool"
cat >"$work/slurm.conf" <<CONF
ClusterName=one
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=2,bf_interval=2
MinJobAge=600
MaxArraySize=4
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=$processors RealMemory=2000 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES
CONF
export SLURM_CONF="$work/slurm.conf"
mkdir -p /run/munge && chown munge:munge /run/munge
[ -s /etc/munge/munge.key ] || { dd if=/dev/urandom of=/etc/munge/munge.key bs=1 count=1024 2>/dev/null;
    chown munge:munge /etc/munge/munge.key; chmod 400 /etc/munge/munge.key; }
if ! munge -n >/dev/null 2>&1; then
    runuser -u munge -- munged --foreground >/dev/null 2>&1 & daemons="$daemons $!"
    sleep 2
fi
munge -n | unmunge >/dev/null 2>&1 || skip "munge does not run here"
slurmctld -D >"$work/slurmctld.log" 2>&1 & daemons="$daemons $!"
slurmd -D -N "$host" >"$work/slurmd.log" 2>&1 & daemons="$daemons $!"
tries=0
until [ "$(sinfo -h -o %t 2>/dev/null)" = idle ]; do
    tries=$((tries + 1))
    [ "$tries" -lt 40 ] || { tail -5 "$work"/slurm*.log; skip "the node does not come up"; }
    sleep 1
done

cat >"$work/experiment.toml" <<'TOML'
schema = "hyperplay.experiment/1"
name = "slurm test"
seed = 5
games = ["kuhn_poker"]
repetitions = 40000
[[player]]
name = "random"
spec = "random"
[[player]]
name = "hyperplay"
spec = "hyperplay:search=flat,playouts=50"
TOML
cd "$work"
mkdir bin
cat >bin/hyperplay <<'WRAPPER'
#!/bin/sh
# `held`: every shard but the first waits to be cancelled. `killing`: the task of shard 2 is killed, each time. Nothing here hangs on how fast the computer is.
case "$*" in
    *"--shard 1/"*) ;;
    *"--shard "*) [ ! -e held ] || exec sleep 600 ;;
esac
case "$*" in
    *"--shard 2/"*) [ ! -e killing ] || { echo attempt >>attempts; kill -9 $$; } ;;
esac
exec "$program" "$@"
WRAPPER
chmod 755 bin/hyperplay
export program
PATH="$work/bin:$PATH"
export PATH
"$program" experiment script experiment.toml --to slurm --shards 4 --retries 1 --out out >script

wait_for() { # a job and all its tasks
    tries=0
    while squeue -h -j "$1" 2>/dev/null | grep -q .; do
        tries=$((tries + 1))
        [ "$tries" -lt 300 ] || { squeue; echo "job $1 does not end"; exit 1; }
        sleep 1
    done
}

touch held
submitted=$(sh script)
# Three numbers are in the first array; it is that of shards 1 to 3.
arrays=$(echo "$submitted" | sed -n 's/^array job \([0-9]*\).*/\1/p')
[ "$(echo "$arrays" | wc -l)" = 2 ] || { echo "$submitted"; echo "no two arrays"; exit 1; }
array=$(echo "$arrays" | head -1)
tries=0
until [ -s out/matches.1-of-4.jsonl ] && [ "$(stat -c %s out/matches.1-of-4.jsonl)" -gt 10000 ]; do
    tries=$((tries + 1))
    [ "$tries" -lt 60 ] || { squeue; cat out/*.log; echo "no task writes anything"; exit 1; }
    sleep 1
done
# One task after the other: none of them may be queued again because others still run.
scancel --signal=TERM --full "${array}_1" || true
for id in $arrays; do for task in 1 2 3; do scancel "${id}_$task" 2>/dev/null || true; done; done
for id in $arrays; do wait_for "$id"; done
merge=$(echo "$submitted" | sed -n 's/^Submitted batch job \([0-9]*\).*/\1/p')
wait_for "$merge"
grep -q "matches are missing" out/slurm-slurm-test-merge.log || { cat out/*.log; echo "the merge missed nothing"; exit 1; }
rm held
echo "4 tasks cancelled: the merge names what is missing"

again() { # the numbers of an array, and the shards before them
    submitted=$(HYPERPLAY_ARRAY=$1 HYPERPLAY_BEFORE=$2 sh script)
    array=$(echo "$submitted" | sed -n 's/^array job \([0-9]*\).*/\1/p')
    merge=$(echo "$submitted" | sed -n 's/^Submitted batch job \([0-9]*\).*/\1/p')
}
touch killing attempts
again 2 0
# Slurm holds a task that is queued again for two minutes.
tries=0
until [ "$(wc -l <attempts)" = 2 ]; do
    scontrol update jobid="${array}_2" starttime=now 2>/dev/null || true
    tries=$((tries + 1))
    [ "$tries" -lt 200 ] || { squeue; cat out/*.log; echo "the killed task is not tried again"; exit 1; }
    sleep 1
done
wait_for "$array"
wait_for "$merge"
tail -1 out/slurm-slurm-test-merge.log | grep -q "matches are missing" || { cat out/*.log; echo "nothing is missing"; exit 1; }
[ "$(wc -l <attempts)" = 2 ] || { echo "tried $(wc -l <attempts) times"; exit 1; }
rm killing
echo "a task that is killed each time: tried twice, and the merge names its shard"

for part in "1,3 0" "2 0" "1 3"; do
    # shellcheck disable=SC2086
    again $part
    wait_for "$array"
    wait_for "$merge"
done
"$program" experiment run experiment.toml --out one >/dev/null
for kind in matches turns; do
    cmp "out/$kind.jsonl" "one/$kind.1-of-1.jsonl"
done
echo "three subsets submitted again and merged: byte for byte one run"
