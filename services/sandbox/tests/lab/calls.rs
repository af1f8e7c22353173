//! The system calls of `policy/refused.json`, and those that have to look absent, as numbers for `syscalls.py`.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic
)]

/// One call, and the error that it has to answer with.
pub struct Refused {
    pub name: String,
    pub number: i64,
    pub errno: i32,
}

/// Every call that is refused or absent.
pub fn refused() -> Vec<Refused> {
    let list: serde_json::Value = serde_json::from_str(include_str!("../../policy/refused.json")).unwrap();
    let filters: serde_json::Value = serde_json::from_str(include_str!("../../policy/seccomp.json")).unwrap();
    let entries = |list: &serde_json::Value, errno: i32| -> Vec<Refused> {
        (list.as_array().unwrap().iter())
            .filter(|entry| entry.get("only").is_none_or(|only| only == std::env::consts::ARCH))
            .map(|entry| entry["syscall"].as_str().unwrap().to_owned())
            .map(|name| Refused {
                number: number(&name),
                name,
                errno,
            })
            .collect()
    };
    let mut all = entries(&list["refused"], libc::EPERM);
    all.extend(entries(&filters["absent"]["filter"], libc::ENOSYS));
    all
}

/// The number of a call on this processor.
pub fn number(name: &str) -> i64 {
    // The pod's filter names most of them.
    let table: serde_json::Value = serde_json::from_str(include_str!("../pod/filter.json")).unwrap();
    let mut rows = ["answered", "checked", "allowed"]
        .iter()
        .flat_map(|kind| table[kind].as_array().unwrap());
    let row = rows.find(|row| row["name"] == name);
    match row.and_then(|row| row[std::env::consts::ARCH].as_i64()) {
        Some(number) => number,
        None => other_number(name),
    }
}

fn other_number(name: &str) -> i64 {
    macro_rules! numbers {
        ($($name:ident => $number:expr),* $(,)?) => {
            match name {
                $(stringify!($name) => $number,)*
                other => panic!("no number for {other}"),
            }
        };
    }
    numbers! {
        ptrace => libc::SYS_ptrace, process_vm_readv => libc::SYS_process_vm_readv, process_vm_writev => libc::SYS_process_vm_writev,
        mq_open => libc::SYS_mq_open, shmget => libc::SYS_shmget, semget => libc::SYS_semget, msgget => libc::SYS_msgget,
        io_setup => libc::SYS_io_setup, name_to_handle_at => libc::SYS_name_to_handle_at,
        open_by_handle_at => libc::SYS_open_by_handle_at, mknod => libc::SYS_mknod, mknodat => libc::SYS_mknodat, chown => libc::SYS_chown,
        fchownat => libc::SYS_fchownat, setuid => libc::SYS_setuid, setgid => libc::SYS_setgid, setgroups => libc::SYS_setgroups,
        setresuid => libc::SYS_setresuid, setxattr => libc::SYS_setxattr, removexattr => libc::SYS_removexattr, sync => libc::SYS_sync,
        syncfs => libc::SYS_syncfs, ioprio_set => libc::SYS_ioprio_set, mlockall => libc::SYS_mlockall, vmsplice => libc::SYS_vmsplice,
        fanotify_mark => libc::SYS_fanotify_mark, listmount => 458, statmount => 457,
        capset => libc::SYS_capset, adjtimex => libc::SYS_adjtimex, clock_adjtime => libc::SYS_clock_adjtime,
        unshare => libc::SYS_unshare, setns => libc::SYS_setns, mount => libc::SYS_mount, umount2 => libc::SYS_umount2,
        pivot_root => libc::SYS_pivot_root, chroot => libc::SYS_chroot, bpf => libc::SYS_bpf, perf_event_open => libc::SYS_perf_event_open,
        keyctl => libc::SYS_keyctl, add_key => libc::SYS_add_key, request_key => libc::SYS_request_key, reboot => libc::SYS_reboot,
        kexec_load => libc::SYS_kexec_load, init_module => libc::SYS_init_module, swapon => libc::SYS_swapon, acct => libc::SYS_acct,
        settimeofday => libc::SYS_settimeofday, sethostname => libc::SYS_sethostname, syslog => libc::SYS_syslog,
        rt_tgsigqueueinfo => libc::SYS_rt_tgsigqueueinfo, remap_file_pages => libc::SYS_remap_file_pages,
        process_madvise => libc::SYS_process_madvise, pidfd_getfd => libc::SYS_pidfd_getfd, kcmp => libc::SYS_kcmp,
        clone3 => libc::SYS_clone3, io_uring_setup => libc::SYS_io_uring_setup, io_uring_enter => libc::SYS_io_uring_enter,
        io_uring_register => libc::SYS_io_uring_register, userfaultfd => libc::SYS_userfaultfd, memfd_create => libc::SYS_memfd_create, memfd_secret => 447,
    }
}
