//! A planned file never stands in the way of a module that other code means (faults A8).

use crate::cases;
use crate::samples::path;
use interlock_domain::{Shadow, shadowed_by};

#[test]
fn names_of_our_own_hide_nothing() {
    let lock = cases::text("shadow/requirements.lock");
    for case in cases::accepted("shadow/accept.txt") {
        assert_eq!(shadowed_by(&path(&case), &lock), None, "{case}");
    }
}

#[test]
fn names_of_others_are_refused_and_say_whose_they_are() {
    let lock = cases::text("shadow/requirements.lock");
    for (why, case) in cases::refused("shadow/reject.txt") {
        let shadow = shadowed_by(&path(&case), &lock).unwrap_or_else(|| panic!("{case} was not seen"));
        assert!(shadow.to_string().contains(&why), "{case}: {shadow}");
        assert!(shadow.to_string().starts_with(&case), "{case}: {shadow}");
    }
}

#[test]
fn only_what_the_environment_has_can_be_hidden() {
    assert_eq!(shadowed_by(&path("src/numpy.py"), ""), None);
    assert_eq!(shadowed_by(&path("src/sklearn.py"), "numpy==2.2.6\n"), None);
    // A remark or a hash that mentions a package does not bring it.
    assert_eq!(
        shadowed_by(&path("src/pandas.py"), "numpy==1\n    # via pandas\n# pandas==2\n"),
        None
    );
    assert!(matches!(
        shadowed_by(&path("src/random.py"), ""),
        Some(Shadow::StandardLibrary { .. })
    ));
    assert!(matches!(
        shadowed_by(&path("src/cv2.py"), "opencv-python-headless==4.11.0.86"),
        Some(Shadow::Distribution { distribution, .. }) if distribution == "opencv-python-headless"
    ));
}
